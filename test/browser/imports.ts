import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Partner, rows } from '../acceptance/marketplace/marketplace.ts';
import { until } from '../acceptance/service.ts';
import { watchLayout } from './support/layout-shift.ts';
import { figuresOf, panel, rowWith, textOf, titled } from './support/looking.ts';
import type { World } from './support/world.ts';

export function describeImports(world: () => World): void {
  describe('imports', { concurrent: true }, () => {
    test('are shown live: the bar moves, the next one waits, and the layout does not shift', async () => {
      const { slowStorage, marketplace } = world();
      const partner = await marketplace.partner('k');
      await partner.upload('slow.csv', rows(1, 40_000, 'k'));
      await partner.upload('quick.csv', rows(1, 3, 'k'));
      slowStorage.limitRate(400_000);
      const slowId = await queueSlowly(partner, 'slow.csv');
      const quickId = await partner.queue('quick.csv');

      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      await tab.open('/console');
      const slow = rowWith(tab.page, `slow.csvImport ${slowId}`);
      const quick = rowWith(tab.page, `quick.csvImport ${quickId}`);
      await slow.getByText('Running').waitFor();
      const shifts = await watchLayout(tab.page);

      const seen = await sharesSeen(slow.getByRole('progressbar'), 3);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(await textOf(slow)).toMatch(/[\d,]+ rows · [\d.,]+ [KM]iB of 1\.\d MiB/);
      expect(await textOf(quick)).toMatch(
        new RegExp(`Waiting\\s+Next in the queue\\s+Behind import ${slowId}, .*slow\\.csv`),
      );

      slowStorage.limitRate();
      await quick.getByText('3 rows · 3 devices').waitFor();
      await slow.getByText('40,000 rows · 40,000 devices').waitFor();
      expect(await slow.getByRole('progressbar').count()).toBe(0);
      expect(await shifts()).toEqual([]);
    });

    test('are queued from the page, and show their results or their problems', async () => {
      const partner = await world().marketplace.partner('k');
      await partner.upload('day/1.csv', rows(1, 30, 'k'));
      await partner.upload('day/2.csv', `${rows(21, 40, 'k')}bad,k\n`);
      await using tab = await world().openConsole({
        as: { api_key: partner.apiKey },
        refusals: ['400 /v1/marketplace/import'],
      });
      await tab.open('/console/imports');
      await tab.page.getByText('No imports yet').waitFor();
      await tab.page.getByRole('button', { name: 'New import' }).click();
      const dialog = tab.page.getByRole('dialog', { name: 'New import' });
      await dialog.getByLabel('Path').fill('a/../b');
      await dialog.getByRole('button', { name: 'Import' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Path').fill('day/');
      await dialog.getByRole('button', { name: 'Import' }).click();

      await tab.page.getByText('All rows except those listed below were applied.').waitFor();
      expect(await figuresOf(tab.page)).toMatchObject({
        'Rows read': '51',
        'Unique devices': '40',
      });
      const files = panel(tab.page, 'Files');
      expect(await textOf(rowWith(files, 'day/1.csv'))).toMatch(/Done\s+30\s+0/);
      expect(await textOf(rowWith(files, 'day/2.csv'))).toMatch(/Done\s+21\s+1/);
      expect(await partner.counts()).toEqual({ k: 40 });

      const content = `${rows(1, 8, 'k')}not-a-device,k\n${rows(9, 9, 'nobody')}`;
      const log = await partner.importedFile(content);
      await tab.follow('/console/imports');
      const row = rowWith(tab.page, 'devices.csv');
      await row.getByText('Too many rows were rejected').waitFor();
      expect(await textOf(row)).toContain('Failed');
      await row.getByRole('link', { name: 'devices.csv' }).click();

      await titled(tab.page, `Import ${log.import_log_id}`);
      await tab.page.getByText('Nothing was applied.').waitFor();
      const problems = await textOf(panel(tab.page, 'Problems'));
      expect(problems).toMatch(/Not an advertising identifier\s+1 row rejected/);
      expect(problems).toMatch(/In line 9, column 1 of\s.*devices\.csv/);
      expect(problems).toContain('not-a-device');
      expect(problems).toMatch(/Key belongs to none of your attributes.*In line 10, column 2/s);
      expect(problems).toContain(log.errors?.at(-1)?.message);

      const download = tab.page.waitForEvent('download');
      await tab.page.getByRole('link', { name: 'Download rejected rows' }).click();
      const rejects = await partner.call(
        'GET',
        `/v1/marketplace/import/${log.import_log_id}/rejects`,
      );
      expect(rejects.text).toContain('not-a-device');
      expect(await readFile(await (await download).path(), 'utf8')).toBe(rejects.text);
    });
  });
}

/** Queues an import from a slow partner bucket. */
async function queueSlowly({ storage, queue }: Partner, key: string): Promise<number> {
  const { bucket, prefix, accessKeyId, secretAccessKey } = storage;
  const credentials = { accessKeyId, secretAccessKey, region: 'us-east-1' };
  return queue(`s3://${bucket}/${prefix}${key}`, { path_type: 1, credentials });
}

/** The first `count` different values of a progress bar. */
async function sharesSeen(bar: Locator, count: number): Promise<number[]> {
  const seen: number[] = [];
  await until(`the bar to move ${count} times`, async () => {
    const share = Number(await bar.getAttribute('aria-valuenow'));
    if (share !== seen.at(-1)) seen.push(share);
    return seen.length >= count;
  });
  return seen;
}
