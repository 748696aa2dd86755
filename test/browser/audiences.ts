import { describe, expect, test } from 'vitest';
import { ingestOf } from '../acceptance/audience/ingest.ts';
import { rows } from '../acceptance/marketplace/marketplace.ts';
import { eventually } from './support/eventually.ts';
import { figuresOf, panel, rowWith, textOf, titled } from './support/looking.ts';
import type { World } from './support/world.ts';

export function describeAudiences(world: () => World): void {
  describe('audiences', { concurrent: true }, () => {
    test('are listed live with status, counts and match rate, and can be searched by name', async () => {
      const partner = await world().marketplace.partner('k');
      const ingest = ingestOf(partner);
      await partner.importedFile(rows(700_001, 700_030, 'k'));
      await partner.upload('spring.csv', rows(700_001, 700_040, '') + rows(700_001, 700_020, ''));
      await ingest.settled(await ingest.create('spring.csv', 'Spring'));
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      await tab.open('/console/audiences');
      const spring = rowWith(tab.page, 'Spring');
      await spring.waitFor();
      expect(await textOf(spring)).toMatch(/Loaded\s+60\s+40\s+30\s+.*75\.0%\s+just now/s);

      await ingest.settled(await ingest.create('none.csv', 'Autumn'));
      const autumn = rowWith(tab.page, 'Autumn');
      await autumn.getByText('Errors').waitFor();
      // Newest activity first.
      expect(await textOf(tab.page.getByRole('row').nth(1))).toContain('Autumn');
      await tab.page.getByLabel('Search by name').fill('SPRI');
      await autumn.waitFor({ state: 'detached' });
      expect(await spring.count()).toBe(1);
    });

    test('are listed in pages of 100', async () => {
      const { marketplace, operator, openConsole } = world();
      const partner = await marketplace.partner();
      const names = Array.from({ length: 101 }, (_, number) => `Number ${number}.`);
      await Promise.all(names.map((name) => ingestOf(partner).create('none.csv', name)));
      // Cancels the loads, which would change the order.
      for (const disabled of [true, false]) {
        await operator.call('PATCH', `/admin/v1/partners/${partner.partnerId}`, { disabled });
      }
      await using tab = await openConsole({ as: { api_key: partner.apiKey } });
      await tab.open('/console/audiences');
      const shown = () => tab.page.getByRole('link', { name: /^Number \d+\.$/ }).allInnerTexts();
      const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
      await button('Older').waitFor();
      const first = await shown();
      expect(first).toHaveLength(100);
      expect(await button('Newer').isDisabled()).toBe(true);

      await button('Older').click();
      await eventually(async () => expect(await shown()).toHaveLength(1));
      expect(await button('Older').isDisabled()).toBe(true);
      expect(new Set([...first, ...(await shown())])).toEqual(new Set(names));

      await button('Newer').click();
      await eventually(async () => expect(await shown()).toEqual(first));
    });

    test('are created for a customer whose user token the partner has', async () => {
      const { marketplace, customers, openConsole } = world();
      const partner = await marketplace.partner('k');
      const corner = await customers.create(`Corner shop of ${partner.storage.prefix}`);
      await customers.userToken(partner, corner);
      await partner.upload('spring.csv', rows(1, 100, ''));
      await using tab = await openConsole({ as: { api_key: partner.apiKey } });
      const { page } = tab;
      await tab.open('/console/audiences');
      await page.getByRole('button', { name: 'New audience' }).click();
      const dialog = page.getByRole('dialog', { name: 'New audience' });
      await dialog.getByLabel('Customer').selectOption(corner.name);
      await dialog.getByLabel('Name').fill('Spring');
      await dialog.getByRole('button', { name: 'Browse your files' }).click();
      await dialog.getByRole('button', { name: 'spring.csv' }).click();
      await dialog.getByRole('button', { name: 'Create and load' }).click();
      await titled(page, 'Spring');
      await page.getByText(`For ${corner.name}`).waitFor();
      await using customer = await openConsole({ as: corner.user });
      await customer.open('/console/audiences');
      await rowWith(customer.page, 'Spring').waitFor();
    });

    test('with too few devices in every attribute have a report that claims nothing', async () => {
      const partner = await world().marketplace.partner('k');
      await partner.importedFile(rows(720_001, 720_080, 'k'));
      await partner.upload('few.csv', rows(720_001, 720_080, 'visit') + rows(729_001, 729_020, ''));
      const ingest = ingestOf(partner);
      const few = await ingest.settled(await ingest.create('few.csv', 'Few'));
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      await tab.open(`/console/segments/${few.default_warehouse_segment_id}`);
      const told = await textOf(panel(tab.page, 'What stands out'));
      expect(told).toMatch(/too few devices to tell\. The figures of all [\d,]+ attributes are/);
      const attributes = await textOf(panel(tab.page, 'Attributes'));
      expect(attributes).toContain('Too few devices for a plot');
      expect(attributes).not.toContain('over-indexing');
      expect(await textOf(panel(tab.page, 'Event labels'))).toMatch(/small ones are shown as well/);
    });

    test('show their files, accept more of them, and are cleared after confirmation', async () => {
      const partner = await world().marketplace.partner('k');
      const ingest = ingestOf(partner);
      await partner.upload('day/1.csv', rows(1, 100, 'visit'));
      await partner.upload('day/2.csv', 'one,two,three\n');
      await partner.upload('more.csv', rows(51, 150, 'order'));
      const audienceId = await ingest.create('day/', 'Visitors');
      await ingest.settled(audienceId);
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      await tab.open(`/console/audiences/${audienceId}`);
      await titled(tab.page, 'Visitors');
      const files = panel(tab.page, 'Files');
      expect(await textOf(rowWith(files, 'day/1.csv'))).toMatch(/Done\s+100\s+None/);
      expect(await textOf(rowWith(files, 'day/2.csv'))).toMatch(
        /Failed\s+0\s+Line has the wrong number of columns/,
      );
      await panel(tab.page, 'Problems')
        .getByText(/In line 1/)
        .waitFor();

      await partner.upload('day/2.csv', rows(1, 10, 'visit'));
      await tab.page.getByRole('button', { name: 'Run again' }).click();
      await rowWith(files, 'day/2.csv').getByText('Done').waitFor();
      await tab.page.getByRole('button', { name: 'Run again' }).waitFor({ state: 'detached' });

      await tab.page.getByRole('button', { name: 'Append files' }).click();
      const append = tab.page.getByRole('dialog', { name: 'Append files' });
      await append.getByLabel('Path').fill('more.csv');
      await append.getByRole('button', { name: 'Append' }).click();
      await rowWith(files, 'more.csv').getByText('Done').waitFor();
      const figures = {
        Uploaded: '210',
        'Unique devices': '150',
        'Last load took': expect.stringMatching(/^<?\d+ s$/),
      };
      await eventually(async () => expect(await figuresOf(tab.page)).toMatchObject(figures));

      const clear = tab.page.getByRole('button', { name: 'Clear', exact: true });
      const question = tab.page.getByRole('dialog', { name: 'Clear this audience?' });
      await clear.click();
      expect(await textOf(question)).toMatch(/150 devices and their event labels are removed/);
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await ingest.details(audienceId)).toMatchObject({ unique_devices: 150 });

      await clear.click();
      await tab.page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await ingest.details(audienceId)).toMatchObject({ unique_devices: 150 });

      await clear.click();
      await question.getByRole('button', { name: 'Clear', exact: true }).click();
      await tab.page.getByText(/^Cleared on \d+ /).waitFor();
      await tab.page.getByText('Cleared', { exact: true }).waitFor();
      expect(await ingest.details(audienceId)).toMatchObject({ unique_devices: 0, file: [] });
    });
  });
}
