import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Composition, ingestOf } from '../acceptance/audience/ingest.ts';
import { eventually } from './support/eventually.ts';
import { cellsOf, panel, pathOf, textOf, titled } from './support/looking.ts';
import { readPdf } from './support/pdf-text.ts';
import { attributeCount } from './support/shop.ts';
import type { World } from './support/world.ts';

const shownAtFirst = 20;

export function describeComposition(world: () => World): void {
  describe('the composition report', { concurrent: true }, () => {
    /** As the API returns it. */
    let report: Composition;
    let path: string;
    beforeAll(async () => {
      const { shop, operator } = world();
      await operator.universeSettled();
      report = await ingestOf(shop.acme).composition(shop.summer.audience_id);
      path = `/console/segments/${shop.summer.default_warehouse_segment_id}`;
    });

    test('shows the audience, a plot of its attributes, its event labels and the withheld attributes', async () => {
      await using tab = await world().openConsole({ as: world().shop.harbor.user });
      await tab.open(path);
      await titled(tab.page, 'Summer sale');
      const reach = await textOf(panel(tab.page, 'Reach'));
      for (const devices of ['4,500', '4,000', '3,000', '75.0%']) expect(reach).toContain(devices);
      expect(reach).toMatch(/Compares 3,000 matched devices with all [\d,]+ in the marketplace/);

      const attributes = panel(tab.page, 'Attributes');
      const plot = attributes.getByRole('img', { name: /^Share of the audience against/ });
      await plot.first().waitFor();
      const described = describedOf(report);
      const best = described.slice(0, shownAtFirst).map(({ name }) => leafOf(name));
      expect((await leavesIn(plot)).toSorted()).toEqual(best.toSorted());
      const withheld = report.attributes.length - described.length;
      const said = await attributes
        .getByText(/^\d+ attributes? (is|are) not shown: /)
        .allInnerTexts();
      expect(said.reduce((sum, text) => sum + Number.parseInt(text, 10), 0)).toBe(withheld);
      await attributes.getByRole('button', { name: 'Show 20 more' }).click();
      await eventually(async () => expect(await leavesIn(plot)).toHaveLength(2 * shownAtFirst));

      const events = panel(tab.page, 'Event labels').getByRole('img');
      expect(await events.getAttribute('aria-label')).toMatch(
        /visit: 2,000, 50\.0%.*|order: 2,500, 62\.5%/,
      );
      expect(await leavesIn(events)).toEqual(['order', 'visit']);
    });

    test('has a sortable, searchable table that a link restores, and a CSV download', async () => {
      const { shop } = world();
      await using tab = await world().openConsole({ as: shop.harbor.user });
      await tab.open(path);
      const table = panel(tab.page, 'All figures').getByRole('table');
      await table.waitFor();
      const best = describedOf(report).slice(0, shownAtFirst);
      expect(await namesIn(table)).toEqual(best.map(({ name }) => shownName(name)));
      const [first] = best;
      const [cells] = await cellsOf(table.getByRole('row').nth(1));
      expect(cells?.at(-1)).toBe(first?.audience_devices?.toLocaleString('en'));
      expect(cells?.[3]).toContain(first?.index?.toFixed(0));

      await table.getByRole('button', { name: 'Devices' }).click();
      const head = table.getByRole('columnheader', { name: 'Devices' });
      expect(await head.getAttribute('aria-sort')).toBe('descending');
      const devicesOf = new Map(
        report.attributes.map((cell) => [shownName(cell.name), cell.audience_devices ?? 0]),
      );
      const most = [...devicesOf.values()].sort((a, b) => b - a).slice(0, shownAtFirst);
      expect((await namesIn(table)).map((name) => devicesOf.get(name))).toEqual(most);
      await table.getByRole('button', { name: 'Devices' }).click();
      expect(await head.getAttribute('aria-sort')).toBe('ascending');

      await tab.page.getByLabel('Find attributes').fill('93 food');
      const found = report.attributes.filter(({ name }) => /^Food.*93/.test(name));
      expect(found.length).toBeGreaterThan(1);
      const wanted = found.map(({ name }) => shownName(name)).toSorted();
      await eventually(async () => {
        expect((await namesIn(table)).toSorted()).toEqual(wanted);
        expect(pathOf(tab.page)).toContain('search=93');
      });
      await tab.page.reload();
      await table.waitFor();
      expect((await namesIn(table)).toSorted()).toEqual(wanted);

      // The download has the rows of the table in their order.
      await table.getByRole('button', { name: 'Attribute' }).click();
      const shown = await namesIn(table);
      const download = tab.page.waitForEvent('download');
      await tab.page.getByRole('button', { name: 'Download CSV' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(/^summer-sale-composition-\d{4}-\d\d-\d\d\.csv$/);
      const [, ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
      expect(lines.map((line) => shownName(line.split(',')[0] ?? ''))).toEqual(shown);
      expect(lines.join()).not.toMatch(/\.\d{7}/);
    });

    test('has a history, and prints on white paper with its method and date', async () => {
      const { shop } = world();
      const browsing = { colorScheme: 'dark' } as const;
      await using tab = await world().openConsole({ as: shop.harbor.user, browsing });
      const { page } = tab;
      await tab.open(`${path}?category=Food`);
      expect(await textOf(panel(page, 'History'))).toMatch(/Load/);
      await panel(page, 'All figures').getByRole('table').waitFor();
      const widthOf = (plot: Element) => plot.getBoundingClientRect().width;
      const plot = panel(page, 'Attributes').getByRole('img');
      const onScreen = await plot.evaluate(widthOf);
      await page.evaluate(() => {
        addEventListener('beforeprint', () => {
          document.title = String(document.querySelector('.row-plot')?.getAttribute('width'));
        });
      });
      const { pages, text } = readPdf(await page.pdf({ format: 'A4' }));
      expect(pages).toBeGreaterThan(4);
      expect(pages).toBeLessThan(10);
      for (const part of ['Summer sale', 'Computed', 'Printed', 'Index: 100 ×', 'Event labels']) {
        expect(text).toContain(part);
      }
      // Every row, also those that the screen does not show.
      const food = report.attributes.filter(({ name }) => name.startsWith('Food'));
      expect(food.length).toBeGreaterThan(100);
      expect(food.filter(({ name }) => !text.includes(leafOf(name)))).toEqual([]);
      const words = text.replaceAll(/\s+/g, ' ');
      expect(words).toMatch(/[\d,]+ of [\d,]+ attributes\. Category: Food\. Over-indexing /);
      expect(words).toMatch(/20 of \d+ attributes in the plot\. The table below has all/);
      for (const control of ['Download CSV', 'Find attributes', 'Compare with', 'Show 20 more']) {
        expect(text).not.toContain(control);
      }
      // Plots were drawn for the width of the paper, and then for the screen again.
      expect(Number(await page.title())).toBeLessThan(700);
      await eventually(async () => expect(await plot.evaluate(widthOf)).toBe(onScreen));

      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      for (const hidden of ['.bar', '.actions', '.view-controls', '.show-more button']) {
        expect(await page.locator(hidden).first().isVisible()).toBe(false);
      }
      const method = await textOf(page.locator('.report-method'));
      expect(method).toMatch(/Index: 100 × .*Computed \d+ /s);
      const ink = await page.locator('h1').evaluate((heading) => getComputedStyle(heading).color);
      expect(ink).toBe('rgb(26, 34, 45)');
    });

    test.sequential('with 1,000 attributes is painted within a second, including the plot', async () => {
      await using tab = await world().openConsole({ as: world().shop.harbor.user });
      await tab.page.addInitScript(notePlot);
      await tab.open(path);
      expect(report.attributes.length).toBeGreaterThanOrEqual(attributeCount);
      // Other tests take the cores most of the time, so the quickest of many paints counts.
      let quickest: Paint = { first: Number.POSITIVE_INFINITY, plot: Number.POSITIVE_INFINITY };
      for (let round = 0; round < 25 && quickest.plot >= 1_000; round++) {
        await tab.page.reload();
        const paint = await paintOf(tab.page);
        if (paint.plot < quickest.plot) quickest = paint;
      }
      expect(quickest.first).toBeLessThan(1_000);
      expect(quickest.plot).toBeLessThan(1_000);
    });
  });
}

type Cell = Composition['attributes'][number];

/** Those that have an index, highest first. */
function describedOf({ attributes }: Composition): Cell[] {
  return attributes
    .filter(({ index }) => index !== null)
    .toSorted((a, b) => (b.index ?? 0) - (a.index ?? 0));
}

function shownName(name: string): string {
  return name.replaceAll(' > ', ' › ');
}

function leafOf(name: string): string {
  return name.split(' > ').at(-1) ?? '';
}

function namesIn(table: Locator): Promise<string[]> {
  return table.getByRole('rowheader').allInnerTexts();
}

/** The labels of a plot without their ancestors. */
function leavesIn(plot: Locator): Promise<string[]> {
  return plot
    .locator('.row-leaf')
    .evaluateAll((labels) => labels.map(({ lastChild }) => lastChild?.textContent ?? ''));
}

interface Paint {
  /** Milliseconds from the navigation to the first contentful paint, and to the first plot. */
  readonly first: number;
  readonly plot: number;
}

/** Runs in the page before its own scripts: marks the frame after the first plot. */
function notePlot(): void {
  new MutationObserver((_, observer) => {
    if (!document.querySelector('.plot-frame svg')) return;
    observer.disconnect();
    requestAnimationFrame(() => performance.mark('plot'));
  }).observe(document, { childList: true, subtree: true });
}

async function paintOf(page: Page): Promise<Paint> {
  await page.waitForFunction(() => performance.getEntriesByName('plot').length > 0);
  return page.evaluate(() => ({
    first: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
    plot: performance.getEntriesByName('plot')[0]!.startTime,
  }));
}
