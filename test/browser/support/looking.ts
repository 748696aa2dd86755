import type { Locator, Page } from 'playwright-core';

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
export async function settled(page: Page, shown: string): Promise<void> {
  await page.getByText(shown).filter({ visible: true }).first().waitFor();
  const look = () => page.locator('main').innerHTML();
  for (let before = await look(), same = 0; same < 2; ) {
    await page.waitForTimeout(60);
    const now = await look();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}
