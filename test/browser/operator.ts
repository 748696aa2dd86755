import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { until } from '../acceptance/service.ts';
import { axeFindings } from './support/axe.ts';
import { cellsOf, panel, rowWith, textOf, titled } from './support/looking.ts';
import { linkIn } from './support/mail.ts';
import { signIn } from './support/sign-in-form.ts';
import { focused } from './support/tabbing.ts';
import type { World } from './support/world.ts';

export function describeOperator(world: () => World): void {
  describe('the operator', { concurrent: true }, () => {
    test('sees the status, creates a partner and a key that is shown once, and revokes the key', async () => {
      await using tab = await world().openConsole({ as: world().asOperator });
      const { page } = tab;
      await tab.open('/console');
      await panel(page, 'Service').getByText('Ready').waitFor();
      await panel(page, 'Storage')
        .getByText(/\d+ objects/)
        .waitFor();
      await panel(page, 'Queue').getByText('waiting').waitFor();
      await panel(page, 'Backup').getByText('None yet').waitFor();
      await page.getByRole('link', { name: 'Partners' }).click();
      await page.getByRole('button', { name: 'New partner' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Bravo Data');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await titled(page, 'Bravo Data');

      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog', { name: 'New API key' });
      await dialog.getByLabel('Label').fill('nightly');
      await dialog.getByRole('button', { name: 'Create the key' }).click();
      const key = await textOf(dialog.getByText(/^trib_key_/));
      await dialog.getByText('Copy it now. It will not be shown again.').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      expect(await statusWith(key)).toBe(200);
      await page.reload();
      const row = rowWith(panel(page, 'API keys'), 'nightly');
      await row.waitFor();
      expect(await page.content()).not.toContain(key);

      await row.getByRole('button', { name: 'Revoke API key nightly' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(await statusWith(key)).toBe(200);
      await row.getByRole('button', { name: 'Revoke API key nightly' }).click();
      await page.getByRole('button', { name: 'Revoke the key' }).click();
      await row.waitFor({ state: 'detached' });
      expect(await statusWith(key)).toBe(401);
    });

    test('gives a partner storage credentials with commands that fit a phone', async () => {
      const partner = await world().marketplace.partner();
      await using tab = await world().openConsole({
        as: world().asOperator,
        browsing: { viewport: { width: 390, height: 800 } },
      });
      await tab.open(`/console/operator/partners/${partner.partnerId}`);
      await tab.page.getByRole('button', { name: 'New credentials' }).click();
      const dialog = tab.page.getByRole('dialog', { name: 'New storage credentials' });
      await dialog.getByRole('button', { name: 'Create the credentials' }).click();
      const commands = dialog.locator('pre');
      await commands.first().waitFor();
      const [shell, profile] = await commands.allInnerTexts();
      expect(shell).toMatch(/^export AWS_ACCESS_KEY_ID=.*\naws s3 cp devices\.csv s3:\S+$/s);
      expect(profile).toMatch(/^aws configure --profile.*\naws s3 cp .* --profile tributary$/s);
      const isCut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
      expect(await dialog.evaluate(isCut)).toBe(false);
      for (const command of await commands.all()) expect(await command.evaluate(isCut)).toBe(false);
    });

    test('sets a storage quota, which the partner sees', async () => {
      const partner = await world().marketplace.partner('k');
      await partner.upload('devices.csv', 'x'.repeat(512));
      await using tab = await world().openConsole({ as: world().asOperator });
      await tab.open(`/console/operator/partners/${partner.partnerId}`);
      const storage = panel(tab.page, 'Storage');
      await storage.getByText('512 B', { exact: true }).waitFor();
      await storage.getByRole('button', { name: 'Change the quota' }).click();
      const dialog = tab.page.getByRole('dialog', { name: 'Storage quota' });
      await dialog.getByLabel('Quota in GiB').fill('1.5');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await storage.getByText('512 B of 1.5 GiB').waitFor();

      await using own = await world().openConsole({
        as: { api_key: partner.apiKey },
        refusals: [/^\d+ .*more\.csv$/],
      });
      await own.open('/console/upload');
      await own.page.getByText('Stored: 512 B of 1.5 GiB.').waitFor();
      const path = `/admin/v1/partners/${partner.partnerId}/storage`;
      await world().operator.call('PATCH', path, { quota: 600 });
      const buffer = Buffer.alloc(512);
      const files = [{ name: 'more.csv', mimeType: 'text/csv', buffer }];
      await own.page.locator('input[type=file]').setInputFiles(files);
      await own.page.getByText('The storage refused the file').waitFor();
      await own.page.getByRole('button', { name: 'Copy the request ID' }).waitFor();
    });

    test('creates a customer and a user, and ends the session of that user', async () => {
      await using tab = await world().openConsole({ as: world().asOperator });
      const { page } = tab;
      await tab.open('/console/operator/customers');
      await page.getByRole('button', { name: 'New customer' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Corner Shop');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await titled(page, 'Corner Shop');

      await page.getByRole('button', { name: 'New user' }).click();
      const dialog = page.getByRole('dialog', { name: 'New user' });
      const email = 'grace@corner.example';
      await dialog.getByLabel('E-mail').fill(email);
      await dialog.getByRole('button', { name: 'Invite the user' }).click();
      await dialog.getByText(`The link was sent to ${email}.`).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await rowWith(page, email).waitFor();

      await using grace = await world().openConsole({ refusals: [/^401 \/v[12]\//] });
      const password = 'chosen by Grace herself';
      await grace.page.goto(linkIn(world().smtp, email));
      await titled(grace.page, 'Choose a password');
      expect((await focused(grace.page)).name).toBe('New password');
      await grace.page.keyboard.type('too short');
      await grace.page.keyboard.press('Enter');
      await grace.page.getByText('Too short: 9 of at least 12 characters.').waitFor();
      await grace.page.getByLabel('New password', { exact: true }).fill(password);
      await grace.page.getByLabel('New password again').fill(password);
      expect(await axeFindings(grace.page)).toEqual([]);
      await grace.page.keyboard.press('Enter');
      await titled(grace.page, 'Password set');
      await grace.page.getByRole('link', { name: 'Sign in' }).click();
      await titled(grace.page, 'Sign in');
      await signIn(grace.page, { email, password });
      await grace.page.getByText('No audiences yet').waitFor();

      await page.getByRole('link', { name: 'Sessions' }).click();
      await rowWith(page, email).getByRole('button', { name: /^End/ }).click();
      await page.getByRole('button', { name: 'End the session' }).click();
      await rowWith(page, email).waitFor({ state: 'detached' });
      await grace.page.reload();
      await titled(grace.page, 'Sign in');

      await page.goto(`${world().url}/console/operator/customers`);
      await page.getByRole('link', { name: 'Corner Shop' }).click();
      await rowWith(page, email).getByRole('button', { name: 'Password link' }).click();
      await page.getByRole('button', { name: 'Create the link' }).click();
      await page.getByText(`The link was sent to ${email}.`).waitFor();
    });

    test('disables, enables and removes a partner, and finds that in the audit log', async () => {
      const partner = await world().marketplace.partner('leaving');
      await partner.upload('devices.csv', 'x'.repeat(512));
      expect(await statusWith(partner.apiKey)).toBe(200);
      await using tab = await world().openConsole({ as: world().asOperator });
      const { page } = tab;
      await tab.open(`/console/operator/partners/${partner.partnerId}`);
      await page.getByRole('button', { name: 'Rename this partner' }).click();
      const renaming = page.getByRole('dialog', { name: 'Rename this partner' });
      expect((await focused(page)).name).toBe('Name');
      await renaming.getByLabel('Name').fill('Leaving soon');
      await renaming.getByRole('button', { name: 'Rename' }).click();
      await titled(page, 'Leaving soon');
      const access = panel(page, 'Access');
      await access.getByRole('button', { name: 'Disable' }).click();
      const disabling = page.getByRole('dialog');
      await disabling.getByText('1 API key', { exact: true }).waitFor();
      await disabling.getByRole('button', { name: 'Disable' }).click();
      await access.getByText('Disabled').waitFor();
      expect(await statusWith(partner.apiKey)).toBe(403);
      await access.getByRole('button', { name: 'Enable' }).click();
      await access.getByText('The partner can use the service.').waitFor();
      expect(await statusWith(partner.apiKey)).toBe(200);

      await access.getByRole('button', { name: 'Remove' }).click();
      const removing = page.getByRole('dialog');
      await removing.getByText('512 B of files').waitFor();
      await removing.getByRole('button', { name: 'Remove for good' }).click();
      await titled(page, 'Partners');
      expect(await statusWith(partner.apiKey)).toBe(401);

      await page.getByRole('link', { name: 'Audit' }).click();
      const removal = rowWith(page, `DELETE /admin/v1/partners/${partner.partnerId}`);
      await removal.getByText('Remove a partner').waitFor();
      await removal.getByText('Details').click();
      await removal.getByText('"partner_id"').waitFor();
      await removal.getByRole('button', { name: 'Copy the request ID' }).waitFor();
      await page.getByLabel('Operation').selectOption('Remove a partner');
      await rowWith(page, 'Create a partner').first().waitFor({ state: 'detached' });
      await removal.waitFor();
      await page.getByLabel('Operation').selectOption('All operations');
      await page.getByLabel('Calls').selectOption('Changes and reads');
      await rowWith(page, 'GET /admin/v1/audit').first().waitFor();
      await page.getByLabel('Calls').selectOption('Changes');
      await page.getByLabel('Who').selectOption('Users');
      await removal.waitFor({ state: 'detached' });
    });

    test('sees failed jobs on the overview and in the list of jobs', async () => {
      const partner = await world().marketplace.partnerNamed('Failing Feeds', 'Sorrel');
      const device = randomUUID();
      for (let n = 0; n < 2; n++) {
        expect((await partner.importedFile(`bad,Sorrel\n${device},Sorrel\n`)).status).toBe(3);
      }
      expect((await partner.importedFile(`${device},Sorrel\n`)).status).toBe(2);
      await using tab = await world().openConsole({ as: world().asOperator });
      const { page } = tab;
      await tab.open('/console/operator');
      const troubled = panel(page, 'Partners with problems');
      await troubled.getByText('failed in the last 24 hours').waitFor();
      const trends = panel(page, 'Last 30 days');
      await trends.getByRole('img', { name: /^Failed jobs by day/ }).waitFor();
      await page.keyboard.press('Tab');
      await trends.getByRole('group').nth(1).focus();
      await page.keyboard.press('End');
      await trends
        .getByRole('status')
        .filter({ hasText: /\d+ \w+, \d+ failed jobs/ })
        .waitFor();
      await trends.getByText('All figures by day (UTC)').click();
      const [, today] = await cellsOf(trends.getByRole('row'));
      expect(Number(today?.[3])).toBeGreaterThanOrEqual(2);

      // The link names the partner, and its focus shows the time of the last failure.
      const link = troubled.getByRole('link', { name: '2 failed jobs of Failing Feeds' });
      const lastFailure = rowWith(troubled, 'Failing Feeds').locator('time');
      const tooltip = () =>
        lastFailure.evaluate((time) => getComputedStyle(time, '::after').content);
      expect(await tooltip()).toBe('none');
      await page.keyboard.press('Tab');
      await link.focus();
      expect(await tooltip()).toContain(await lastFailure.getAttribute('title'));
      await page.keyboard.press('Enter');
      await titled(page, 'Jobs');
      const failed = rowWith(page, 'Failing Feeds');
      await failed.first().waitFor();
      expect(await failed.count()).toBe(2);
      await page.getByLabel('State').selectOption('All states');
      await failed.nth(2).waitFor();
      expect((await failed.allInnerTexts()).join(' ').match(/Failed|Done/g)).toEqual([
        'Failed',
        'Failed',
        'Done',
      ]);
      await page.getByLabel('Order').selectOption('Newest first');
      await failed.first().getByText('Done').waitFor();
      await page.getByLabel('Kind').selectOption('Deletions');
      await page.getByText('No job matches the filter.').waitFor();
      await page.getByLabel('Kind').selectOption('All kinds');

      await page.setViewportSize({ width: 390, height: 800 });
      const box = await page.getByRole('region', { name: 'Table of jobs' }).evaluate((table) => ({
        isClipped: table.scrollWidth > table.clientWidth,
      }));
      expect(box.isClipped).toBe(false);
      await failed.nth(1).getByRole('link').first().click();
      await page.getByText('too_many_rejects').waitFor();
      await panel(page, 'Problems').getByText('Not an advertising identifier').waitFor();
      await panel(page, 'Summary').getByRole('button', { name: 'Copy the request ID' }).waitFor();
      await panel(page, 'Files').getByText('partner-').waitFor();

      await page.getByRole('link', { name: 'Failing Feeds' }).click();
      await titled(page, 'Failing Feeds');
      await rowWith(panel(page, 'Recent problems'), 'Too many rows were rejected')
        .first()
        .waitFor();
    });

    test('finds a request ID to copy on an error', async () => {
      const path = '/admin/v1/jobs/999999999';
      await using tab = await world().openConsole({
        as: world().asOperator,
        refusals: [`404 ${path}`],
      });
      await tab.open('/console/operator/jobs/999999999');
      const note = tab.page.getByRole('alert').filter({ hasText: 'No such job.' });
      await note.getByRole('button', { name: 'Copy the request ID' }).waitFor();
      expect(await textOf(note.locator('code'))).toMatch(/^[\w-]{8,}$/);
    });

    test('sees who holds a device, and has it deleted', async () => {
      const partner = await world().marketplace.partnerNamed('Keeper', 'Juniper');
      const device = randomUUID();
      expect((await partner.importedFile(`${device},Juniper\n`)).status).toBe(2);
      await using tab = await world().openConsole({
        as: world().asOperator,
        refusals: ['400 /admin/v1/privacy/requests'],
      });
      const { page } = tab;
      await tab.open('/console/operator/privacy');
      await page.getByRole('button', { name: 'New request' }).click();
      const dialog = page.getByRole('dialog', { name: 'New privacy request' });
      await dialog.getByLabel('Kind').selectOption('Access');
      await dialog.getByLabel('Reference').fill('case 42');
      await dialog.getByLabel('Identifiers').fill('not an identifier');
      const send = dialog.getByRole('button', { name: 'Send the request' });
      await send.click();
      await dialog.getByText('Identifier 1 must be a UUID').waitFor();
      await dialog.getByLabel('Identifiers').fill(`{${device.toUpperCase()}}`);
      await send.click();
      // The page looks for the answer every 10 seconds.
      const answer = rowWith(panel(page, 'Held by'), 'Juniper').getByText('Keeper');
      await answer.waitFor();
      expect(await page.content()).not.toContain(device);

      await page.getByRole('link', { name: 'All requests' }).click();
      await rowWith(page, 'case 42').getByText('1 of 1 stored').waitFor();
      await page.getByRole('button', { name: 'New request' }).click();
      await dialog.getByLabel('Identifiers').fill(device);
      await send.click();
      await page.getByText('Kept out since').waitFor();
      await until('the device to be removed', async () => (await partner.counts()).Juniper === 0);
    });

    async function statusWith(apiKey: string): Promise<number> {
      const headers = { authorization: `Bearer ${apiKey}` };
      return (await fetch(`${world().url}/v1/marketplace/import`, { headers })).status;
    }
  });
}
