import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds fault with, each with the elements it is about. */
export async function axeFindings(page: Page, ...onlyRules: string[]): Promise<string[]> {
  // As the browser's own tools do: the page's policy lets no script in.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (rules) => {
    const loaded = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await loaded.run(document, rules.length === 0 ? {} : { runOnly: rules });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    );
  }, onlyRules);
}
