import { setTimeout as sleep } from 'node:timers/promises';
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
  // Style sheets may change the case.
  await page.waitForFunction(isShown, shown.toLowerCase());
  const look = () => page.evaluate(() => document.querySelector('main')?.innerHTML);
  for (let before = await look(), same = 0; same < 2; ) {
    await sleep(60);
    const now = await look();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}
