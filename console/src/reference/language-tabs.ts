import { element } from './element.ts';

const remembered = 'reference-language';

interface Sample {
  readonly language: string;
  readonly tab: HTMLButtonElement;
  readonly panel: HTMLElement;
}

/** Makes tabs of the samples. A choice applies to all samples of the page. */
export function addLanguageTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('.samples')].map(tabsOf);
  const choose = (language: string) => {
    for (const { language: own, tab, panel } of groups.flat()) {
      tab.ariaSelected = String(own === language);
      tab.tabIndex = own === language ? 0 : -1;
      panel.hidden = own !== language;
    }
  };
  for (const group of groups) {
    for (const { tab, language } of group) {
      tab.addEventListener('click', () => {
        keepInPlace(tab, () => choose(language));
        remember(language);
      });
      tab.addEventListener('keydown', (event) => {
        const next =
          group[
            neighbour(
              event.key,
              group.findIndex((one) => one.tab === tab),
              group.length,
            )
          ];
        if (next === undefined) return;
        event.preventDefault();
        next.tab.click();
        next.tab.focus();
      });
    }
  }
  const languages = groups[0]?.map(({ language }) => language) ?? [];
  const last = recall();
  choose(languages.find((language) => language === last) ?? languages[0] ?? '');
}

/** The index of the tab that a key leads to, or -1. */
export function neighbour(key: string, index: number, count: number): number {
  switch (key) {
    case 'ArrowRight':
      return (index + 1) % count;
    case 'ArrowLeft':
      return (index + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}

function tabsOf(samples: HTMLElement, group: number): Sample[] {
  const made = [...samples.querySelectorAll<HTMLElement>('details.sample')].map(
    (details): Sample => {
      const language = details.dataset.language ?? '';
      const id = `sample-${group}-${language}`;
      const name = details.querySelector('summary')?.textContent ?? language;
      const tab = element(
        'button',
        { type: 'button', role: 'tab', id: `${id}-tab`, 'aria-controls': id },
        name,
      );
      const panel = element('div', {
        class: 'sample',
        role: 'tabpanel',
        id,
        'aria-labelledby': `${id}-tab`,
      });
      panel.append(...[...details.children].filter(({ tagName }) => tagName !== 'SUMMARY'));
      return { language, tab, panel };
    },
  );
  const tabs = element(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': samples.dataset.label },
    ...made.map(({ tab }) => tab),
  );
  samples.replaceChildren(tabs, ...made.map(({ panel }) => panel));
  return made;
}

/** Samples above change their height, too, so the clicked tab would move away. */
function keepInPlace(clicked: HTMLElement, change: () => void): void {
  const before = clicked.getBoundingClientRect().top;
  change();
  window.scrollBy({ top: clicked.getBoundingClientRect().top - before, behavior: 'instant' });
}

/** A browser may refuse storage. Then the choice lasts as long as the page. */
function remember(language: string): void {
  try {
    localStorage.setItem(remembered, language);
  } catch {}
}

function recall(): string | null {
  try {
    return localStorage.getItem(remembered);
  } catch {
    return null;
  }
}
