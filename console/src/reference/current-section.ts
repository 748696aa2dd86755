/** How far below the top of the window a section counts as the one that is read. */
const readingLine = 120;

/** Marks the link to the section that is read, and keeps it visible in the contents. */
export function markCurrentSection(): void {
  const contents = document.querySelector<HTMLElement>('.sidebar');
  const sections = [...document.querySelectorAll<HTMLAnchorElement>('nav a[href^="#"]')].flatMap(
    (link) => {
      const target = document.getElementById(link.hash.slice(1));
      return target === null ? [] : [{ link, target }];
    },
  );
  let current: HTMLAnchorElement | undefined;
  const update = () => {
    const top = (index: number) => sections[index]?.target.getBoundingClientRect().top ?? 0;
    const index = lastAbove(sections.length, top, readingLine);
    const link = sections[index]?.link;
    if (link === current) return;
    current?.removeAttribute('aria-current');
    current = link;
    if (link === undefined) return;
    link.setAttribute('aria-current', 'location');
    const part = link.closest('details');
    if (part !== null) part.open = true;
    if (contents !== null) reveal(link, contents);
  };
  let isWaiting = false;
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        update();
      });
    },
    { passive: true },
  );
  for (const { link } of sections) {
    link.addEventListener('click', closeContents);
  }
  update();
}

/** The last index whose position is at or above the line, or -1. Positions ascend. */
export function lastAbove(
  count: number,
  position: (index: number) => number,
  line: number,
): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (position(middle) <= line) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Scrolls the contents only. `scrollIntoView` could also scroll the page. */
function reveal(link: HTMLElement, contents: HTMLElement): void {
  const [inner, outer] = [link.getBoundingClientRect(), contents.getBoundingClientRect()];
  if (inner.height === 0) return;
  const margin = 48;
  const above = inner.top - outer.top - margin;
  const below = inner.bottom - outer.bottom + margin;
  if (above < 0) contents.scrollTop += above;
  else if (below > 0) contents.scrollTop += below;
}

/** On a phone the contents cover the page. */
export function closeContents(): void {
  const box = document.querySelector<HTMLInputElement>('#show-contents');
  if (box !== null) box.checked = false;
}
