import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Partner, rows } from '../acceptance/marketplace/marketplace.ts';
import { until } from '../acceptance/service.ts';
import { eventually } from './support/eventually.ts';
import { watchLayout } from './support/layout-shift.ts';
import { figuresOf, panel, rowWith, textOf, titled } from './support/looking.ts';
import { faultsOf } from './support/page-faults.ts';
import { focused, tabTo } from './support/tabbing.ts';
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
      await tab.page.clock.install();
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

      // So that the duration also changes.
      await tab.page.clock.fastForward(60_000);
      await slow.getByText(/^1 min \d/).waitFor();

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
      await dialog.getByRole('button', { name: 'Copy the request ID' }).waitFor();
      await dialog.getByLabel('Path').fill('day/');
      await dialog.getByRole('button', { name: 'Import' }).click();

      await tab.page.getByText('All rows except those listed below were applied.').waitFor();
      expect(await figuresOf(tab.page)).toMatchObject({
        'Rows read': '51',
        'Unique devices': '40',
        Duration: expect.stringMatching(/^<?\d+ s$/),
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

    test('are chosen among the uploaded files, checked, and then imported for real', async () => {
      const partner = await world().marketplace.partner('k');
      await partner.upload('may/deep/1.csv', rows(1, 30, 'k'));
      await partner.upload('may/2.csv', rows(21, 40, 'k'));
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      const { page } = tab;
      await tab.open('/console/imports');
      await tabTo(page, 'New import');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'New import' });
      expect((await focused(page)).name).toBe('Path');
      await tabTo(page, 'Browse your files');
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'may/' }).waitFor();
      await tabTo(page, 'may/');
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: '2.csv' }).waitFor();
      expect((await focused(page)).name).toBe('Files in may/');
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'deep/' }).click();
      await dialog.getByRole('button', { name: '1.csv' }).waitFor();
      await dialog.getByRole('button', { name: 'may/', exact: true }).click();
      await dialog.getByRole('button', { name: '2.csv' }).waitFor();
      await dialog.getByRole('button', { name: 'Use this folder' }).click();
      expect(await dialog.getByLabel('Path').inputValue()).toBe('may/');
      expect((await focused(page)).name).toBe('Browse your files');
      await dialog.getByLabel(/^Dry run/).check();
      await dialog.getByRole('button', { name: 'Check' }).click();
      await page.getByText('Dry run: nothing was applied.').waitFor();
      expect(await partner.counts()).toEqual({ k: 0 });

      await page.getByRole('button', { name: 'Import for real' }).click();
      await page.getByText('All rows were applied.').waitFor();
      expect(await figuresOf(page)).toMatchObject({ 'Unique devices': '40' });
      expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
    });

    test('run again after a failure, and ask again for the credentials of another bucket', async () => {
      const partner = await world().marketplace.partner('k');
      const failed = await partner.ended(await partner.queue('late.csv'));
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      const { page } = tab;
      await tab.open(`/console/imports/${failed.import_log_id}`);
      await page.getByText('Nothing was applied.').waitFor();
      await partner.upload('late.csv', rows(1, 5, 'k'));
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByText('All rows were applied.').waitFor();
      expect(await partner.counts()).toEqual({ k: 5 });

      const elsewhere = await partner.ended(await queueSlowly(partner, 'none.csv'));
      await tab.follow(`/console/imports/${elsewhere.import_log_id}`);
      await page.getByRole('button', { name: 'Run again' }).click();
      const dialog = page.getByRole('dialog', { name: 'New import' });
      expect(await dialog.getByLabel('Path').inputValue()).toBe(elsewhere.file_path);
      const { accessKeyId, secretAccessKey } = partner.storage;
      const secrets = { Region: 'us-east-1', 'Access key ID': accessKeyId };
      for (const [label, value] of Object.entries({
        ...secrets,
        'Secret access key': secretAccessKey,
      })) {
        const field = dialog.getByLabel(label);
        expect(await field.inputValue()).toBe('');
        await field.fill(value);
      }
      await dialog.getByLabel('Path').fill(elsewhere.file_path.replace('none', 'late'));
      await dialog.getByRole('button', { name: 'Import' }).click();
      await page.getByText('All rows were applied.').waitFor();
    });

    test('are filtered by state, kind and text, and listed beyond the first 100', async () => {
      const { marketplace, operator, openConsole } = world();
      const partner = await marketplace.partner('k');
      const last = await partner.importedFile(rows(1, 3, 'k'));
      await Promise.all(Array.from({ length: 101 }, (_, n) => partner.queue(`none-${n}.csv`)));
      // Cancels those that have not ended.
      for (const disabled of [true, false]) {
        await operator.call('PATCH', `/admin/v1/partners/${partner.partnerId}`, { disabled });
      }
      await using tab = await openConsole({ as: { api_key: partner.apiKey } });
      const { page } = tab;
      await tab.open('/console/imports');
      const listed = page.getByRole('row');
      await page.getByRole('button', { name: 'Older' }).click();
      await eventually(async () => expect(await listed.count()).toBe(3));
      const oldest = rowWith(page, `Import ${last.import_log_id}`);
      expect(await textOf(oldest)).toMatch(/Done\s+3 rows · 3 devices\s+<?\d+ s\s/);

      await page.getByLabel('State').selectOption('Done');
      await eventually(async () => expect(await listed.count()).toBe(2));
      await oldest.waitFor();
      await eventually(async () => expect(page.url()).toContain('state=done'));
      await page.getByLabel('Kind').selectOption('Dry run');
      await page.getByText('No matching jobs').waitFor();
      await page.getByLabel('State').selectOption('');
      await page.getByLabel('Kind').selectOption('');
      await page.getByLabel(/^Search/).fill('NONE-77.');
      await eventually(async () => expect(await listed.count()).toBe(2));
      await rowWith(page, 'none-77.csv').waitFor();
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
