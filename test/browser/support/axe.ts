import axe from 'axe-core';
import type { BrowserPage } from './browser-page.ts';

/** The violations that axe finds, each with its elements. */
export async function axeFindings(page: BrowserPage, ...onlyRules: string[]): Promise<string[]> {
  // Injected like a browser tool, because the page's policy blocks scripts.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (rules) => {
    const loaded = (window as unknown as { axe: typeof axe }).axe;
    const { violations } = await loaded.run(document, {
      // Details of the other elements, such as their selectors, would take most of the time.
      resultTypes: ['violations'],
      selectors: false,
      ...(rules.length === 0 ? {} : { runOnly: rules }),
    });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    );
  }, onlyRules);
}
