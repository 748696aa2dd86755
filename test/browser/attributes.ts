import { describe, expect, test } from 'vitest';
import { rows } from '../acceptance/marketplace/marketplace.ts';
import { eventually } from './support/eventually.ts';
import { figuresOf, panel, rowWith, textOf, titled } from './support/looking.ts';
import { faultsOf } from './support/page-faults.ts';
import type { World } from './support/world.ts';

export function describeAttributes(world: () => World): void {
  describe('attributes', { concurrent: true }, () => {
    test('are created one by one or from a taxonomy, and an invalid line is named', async () => {
      const partner = await world().marketplace.partner();
      await using tab = await world().openConsole({
        as: { api_key: partner.apiKey },
        refusals: ['400 /v1/marketplace/attribute', '409 /v1/marketplace/attribute'],
      });
      const { page } = tab;
      await tab.open('/console/attributes');
      await page.getByText('No attributes yet').waitFor();
      await page.getByRole('button', { name: 'Upload a taxonomy' }).click();
      const upload = page.getByRole('dialog', { name: 'Upload a taxonomy' });
      const taxonomy = async (...lines: string[]) => {
        const text = ['name,description,partnerkey', ...lines].join('\n');
        await upload
          .getByLabel('CSV file')
          .setInputFiles({ name: 't.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
        await upload.getByRole('button', { name: 'Create the attributes' }).click();
      };
      await taxonomy('Autos,,autos', 'Tea,too many,columns,here');
      expect(await textOf(upload.getByRole('alert'))).toContain(
        'line 3 has 4 columns instead of 3',
      );
      await taxonomy('Autos,,autos', 'Autos > Intenders,In the market,intenders');
      await upload.getByText('2 attributes were created.').waitFor();
      await upload.getByRole('button', { name: 'Done' }).click();
      expect(await textOf(rowWith(page, 'Autos > Intenders'))).toMatch(/intenders\s+\d+\s+0\s/);

      await page.getByRole('button', { name: 'New attribute' }).click();
      const created = page.getByRole('dialog', { name: 'New attribute' });
      // The first field has the focus.
      await page.keyboard.type('Coffee');
      await created.getByLabel('Your key').fill('autos');
      await created.getByRole('button', { name: 'Create' }).click();
      expect(await textOf(created.getByRole('alert'))).toContain('"autos"');
      await created.getByLabel('Your key').fill('coffee');
      await created.getByRole('button', { name: 'Create' }).click();
      await titled(page, 'Coffee');
      expect(await figuresOf(page)).toMatchObject({ Devices: '0', 'Your key': 'coffee' });
    });

    test('are searched and paged, and the search stays in the address', async () => {
      const { shop, openConsole } = world();
      await using tab = await openConsole({ as: { api_key: shop.acme.apiKey } });
      const { page } = tab;
      await tab.open('/console/attributes');
      const listed = page.getByRole('row');
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await button('Next').click();
      await rowWith(page, 'Topic 100').waitFor();
      expect(await listed.count()).toBe(101);
      await page.getByLabel('Search by name or key').fill('TOPIC 99');
      // 99 and 990 to 999.
      await eventually(async () => expect(await listed.count()).toBe(12));
      expect(await button('Next').count()).toBe(0);
      await eventually(async () => expect(page.url()).toContain('search=TOPIC+99'));
      await page.reload();
      await eventually(async () => expect(await listed.count()).toBe(12));
      await page.getByLabel('Search by name or key').fill('nothing like it');
      await page.getByText('No matching attributes').waitFor();
    });

    test('show their history, are edited, and are deleted after a question', async () => {
      const partner = await world().marketplace.partner('k');
      await partner.importedFile(rows(1, 1_500, 'k'));
      await partner.importedFile(rows(1_501, 2_000, 'k'));
      const [attribute] = (await partner.call('GET', '/v1/marketplace/attribute')).body;
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      const { page } = tab;
      await tab.open(`/console/attributes/${attribute.attribute_id}`);
      await titled(page, attribute.name);
      expect(await figuresOf(page)).toMatchObject({ Devices: '2,000', 'Your key': 'k' });
      const history = panel(page, 'History');
      await history.getByRole('img', { name: /^Devices over 2 changes/ }).waitFor();
      await history.getByText('All 2 changes').click();
      expect(await textOf(rowWith(history, '1,500'))).toContain('Import');
      expect(await faultsOf(page)).toEqual([]);

      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Name').fill('Tea <b>drinkers</b>');
      await page.getByRole('button', { name: 'Save' }).click();
      await titled(page, 'Tea <b>drinkers</b>');

      await page.getByRole('button', { name: 'Delete' }).click();
      const question = page.getByRole('dialog', { name: 'Delete this attribute?' });
      expect(await textOf(question)).toMatch(/to 2,000 devices are deleted.*with its key k are/s);
      // A question begins at the button that changes nothing.
      await page.keyboard.press('Enter');
      await question.waitFor({ state: 'detached' });
      expect(await partner.counts()).toEqual({ k: 2_000 });
      await page.getByRole('button', { name: 'Delete' }).click();
      await question.getByRole('button', { name: 'Delete for good' }).click();
      await page.getByText('The data was deleted.').waitFor();
      expect(await partner.counts()).toEqual({});
    });
  });
}
