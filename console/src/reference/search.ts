import { closeContents } from './current-section.ts';
import { element } from './element.ts';
import { type Found, type Place, search } from './search-index.ts';

interface ShownPlace extends Place {
  /** The method's mark, if the place is an operation. */
  readonly mark: Element | null;
}

const mostShown = 30;

/** Adds the search field. Its results replace the contents while it has a text. */
export function addSearch(): void {
  const contents = document.querySelector<HTMLElement>('.sidebar');
  const nav = contents?.querySelector('nav');
  if (!contents || !nav) return;
  const field = element('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'Search the reference',
    'aria-keyshortcuts': '/',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const box = element(
    'search',
    { class: 'search' },
    field,
    element('kbd', { 'aria-hidden': 'true' }, '/'),
  );
  const status = element('p', { class: 'unseen', role: 'status' });
  const list = element('ul', { class: 'results', 'aria-label': 'Search results', hidden: true });
  nav.before(box, status, list);

  let places: ShownPlace[] | undefined;
  const show = () => {
    places ??= placesOf(document);
    const query = field.value.trim();
    const found = search(places, query);
    list.hidden = query === '';
    nav.hidden = query !== '';
    list.replaceChildren(
      ...found.slice(0, mostShown).map(resultOf),
      ...remark(found.length, query),
    );
    status.textContent = query === '' ? '' : `${found.length} results`;
    contents.scrollTop = 0;
  };
  const clear = () => {
    field.value = '';
    show();
  };
  field.addEventListener('input', show);
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') clear();
    if (key === 'Enter') list.querySelector('a')?.click();
  });
  list.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || target.closest('a') === null) return;
    clear();
    closeContents();
  });
  box.addEventListener('keydown', (event) => moveFocus(event, field, list));
  list.addEventListener('keydown', (event) => {
    moveFocus(event, field, list);
    if (event.key !== 'Escape') return;
    clear();
    field.focus();
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

/** Up and down go through the field and the results. */
function moveFocus(event: KeyboardEvent, field: HTMLElement, list: HTMLElement): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [field, ...list.querySelectorAll('a')];
  const next = stops[stops.findIndex((stop) => stop === document.activeElement) + step];
  event.preventDefault();
  next?.focus();
}

function resultOf({ place, name }: Found<ShownPlace>): HTMLLIElement {
  const hint = name ?? place.address;
  const title = element(
    'span',
    { class: 'found' },
    ...marks(place),
    element('span', {}, place.title),
  );
  const lines = hint === '' ? [title] : [title, element('span', { class: 'hint' }, hint)];
  return element('li', {}, element('a', { href: `#${place.anchor}` }, ...lines));
}

function marks({ mark }: ShownPlace): Node[] {
  return mark === null ? [] : [mark.cloneNode(true)];
}

function remark(count: number, query: string): HTMLLIElement[] {
  if (query === '' || (count > 0 && count <= mostShown)) return [];
  const text =
    count === 0
      ? `Nothing found for “${query}”.`
      : `${count - mostShown} more. Add a word to narrow the search.`;
  return [element('li', { class: 'none' }, text)];
}

/** Everything that has an anchor of its own: operations, problem codes, sections. */
function placesOf(page: Document): ShownPlace[] {
  const operations = [...page.querySelectorAll('article.operation')].map((article) => {
    const addresses = textsOf(article, '.endpoint .path');
    return {
      ...headedPlace(article),
      address: addresses.join(' '),
      names: [...new Set(textsOf(article, 'tbody th code'))],
      text: textOf(article.querySelector('.description')),
      mark: article.querySelector('.method'),
    };
  });
  const problems = [...page.querySelectorAll('tr[id^="problem-"]')].map((row) => ({
    anchor: row.id,
    title: row.querySelector('th')?.textContent ?? '',
    address: textOf(row.querySelector('td')),
    names: [],
    text: textOf(row),
    mark: null,
  }));
  const sections = [...page.querySelectorAll('main > section')].map((section) => ({
    ...headedPlace(section),
    address: '',
    names: textsOf(section, ':scope > table tbody th code'),
    text: textsOf(section, ':scope > p, :scope > ol p, :scope > table td').join(' '),
    mark: null,
  }));
  return [...sections, ...operations, ...problems];
}

function headedPlace(section: Element): Pick<Place, 'anchor' | 'title'> {
  const heading = section.querySelector('.heading > [id]');
  return { anchor: heading?.id ?? '', title: heading?.textContent ?? '' };
}

function textsOf(section: Element, selector: string): string[] {
  return [...section.querySelectorAll(selector)].map(textOf);
}

function textOf(node: Element | null): string {
  return (node?.textContent ?? '').toLowerCase();
}
