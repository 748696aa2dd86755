import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { rows } from '../acceptance/marketplace/marketplace.ts';
import { eventually } from './support/eventually.ts';
import { figuresOf, panel, rowWith, titled } from './support/looking.ts';
import type { World } from './support/world.ts';

export function describeUploads(world: () => World): void {
  describe('uploads', { concurrent: true }, () => {
    test('go from the browser directly to the storage, and can then be imported', async () => {
      const partner = await world().marketplace.partner('k');
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      const puts: string[] = [];
      tab.page.on('request', (request) => {
        if (request.method() === 'PUT') puts.push(new URL(request.url()).origin);
      });
      await tab.open('/console/upload');
      await titled(tab.page, 'Upload files');
      await tab.page.getByLabel('Folder').fill('May 2026/');
      await tab.page.locator('input[type=file]').setInputFiles([
        { name: 'plain & odd #1?.csv', mimeType: 'text/csv', buffer: textOf(1, 2_000) },
        { name: 'packed.csv.gz', mimeType: '', buffer: gzipSync(textOf(1_501, 3_000)) },
      ]);
      const files = panel(tab.page, 'Files');
      const uploaded = files.getByText('Uploaded', { exact: true });
      await eventually(async () => expect(await uploaded.count()).toBe(2));
      expect(puts).toEqual(Array(2).fill(world().marketplace.service.s3Url));

      await files.getByRole('button', { name: 'Import May 2026/', exact: true }).click();
      const dialog = tab.page.getByRole('dialog', { name: 'New import' });
      expect(await dialog.getByLabel('Path').inputValue()).toBe('May 2026/');
      await dialog.getByRole('button', { name: 'Import' }).click();
      await files.getByRole('link', { name: 'See the import' }).click();
      await tab.page.getByText('All rows were applied.').waitFor();
      expect(await figuresOf(tab.page)).toMatchObject({ 'Unique devices': '3,000' });
      expect(await partner.counts()).toEqual({ k: 3_000 });
    });

    test('of several folders are imported all at once', async () => {
      const partner = await world().marketplace.partner('k');
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      const { page } = tab;
      await tab.open('/console/upload');
      const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'text/csv', buffer });
      const input = page.locator('input[type=file]');
      await input.setInputFiles(file('one.csv', textOf(1, 20)));
      await page.getByLabel('Folder').fill('other');
      await input.setInputFiles(file('two.csv', textOf(11, 40)));
      await page.getByRole('button', { name: 'Import all 2 files' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import 2 files' });
      expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
        'one.csv',
        'other/two.csv',
      ]);
      await dialog.getByRole('button', { name: 'Import all' }).click();
      await page.getByRole('link', { name: 'See the imports' }).click();
      await rowWith(page, 'other/two.csv').getByText('30 rows · 30 devices').waitFor();
      expect(await partner.counts()).toEqual({ k: 40 });
    });
  });
}

function textOf(first: number, last: number): Buffer {
  return Buffer.from(rows(first, last, 'k'));
}
