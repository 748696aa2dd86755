import type { Page } from 'playwright-core';

interface Shift {
  readonly value: number;
  readonly moved: string[];
}

/** Records layout shifts of the page from now on. The returned function lists them. */
export async function watchLayout(page: Page): Promise<() => Promise<Shift[]>> {
  await page.evaluate(() => {
    const shifts: Shift[] = [];
    Object.assign(window, { layoutShifts: shifts });
    const describe = (node: Node | null) =>
      node instanceof Element
        ? `${node.localName}.${node.className}`
        : `text “${node?.textContent ?? ''}” of ${node?.parentElement?.outerHTML.slice(0, 200)}`;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        sources: { node: Node | null }[];
      })[]) {
        shifts.push({ value: entry.value, moved: entry.sources.map(({ node }) => describe(node)) });
      }
    }).observe({ type: 'layout-shift' });
  });
  return () => page.evaluate(() => (window as unknown as { layoutShifts: Shift[] }).layoutShifts);
}
