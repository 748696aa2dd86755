import type { Locator, Page } from 'playwright-core';
import type { BrowserPage } from './browser-page.ts';

/** Waits for the page with this title. */
export function titled(page: Page, heading: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
}

export function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
}

/** The visible text. */
export async function textOf(locator: Locator): Promise<string> {
  await locator.waitFor();
  return (await locator.allInnerTexts()).join('\n');
}

/** The row of a table that contains this text. */
export function rowWith(page: Page | Locator, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

/** The texts of the cells of each row. */
export function cellsOf(rows: Locator): Promise<string[][]> {
  return rows.evaluateAll((elements) =>
    elements.map((row) =>
      [...row.querySelectorAll('th, td')].map((cell) => (cell.textContent ?? '').trim()),
    ),
  );
}

/** The panel with this heading. */
export function panel(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true });
}

/** The figures of a page by name. */
export function figuresOf(page: Page): Promise<Record<string, string>> {
  return page
    .locator('main dt')
    .evaluateAll((terms) =>
      Object.fromEntries(
        terms.map((term) => [
          (term.textContent ?? '').trim(),
          (term.nextElementSibling?.textContent ?? '').trim(),
        ]),
      ),
    );
}

/** Waits until the page shows a text that comes with its data, and stops changing. */
export async function settled(page: BrowserPage, shown: string): Promise<void> {
  const isShown = (text: string) =>
    // biome-ignore lint/performance/useDomNodeTextContent: Hidden texts do not count.
    document.body.innerText.toLowerCase().includes(text);
  // Style sheets may change the case. Not in every frame, because each look computes the layout.
  await page.waitForFunction(isShown, shown.toLowerCase(), { polling: 50 });
  await page.evaluate(unchanged, quietMs);
}

/** How long a page must not change. */
const quietMs = 120;

/** Runs in the page, because sending its content for comparison would take longer. */
function unchanged(forMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      observer.disconnect();
      resolve();
    };
    let timer = setTimeout(end, forMs);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(end, forMs);
    });
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  });
}
