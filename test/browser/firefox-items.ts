import { describe, expect, test } from 'vitest';
import { ingestOf } from '../acceptance/audience/ingest.ts';
import { rows } from '../acceptance/marketplace/marketplace.ts';
import type { BrowserPage } from './support/browser-page.ts';
import { eventually } from './support/eventually.ts';
import type { FirefoxTab } from './support/firefox/tab.ts';
import { settled } from './support/looking.ts';
import { linkIn } from './support/mail.ts';
import type { Credentials } from './support/session.ts';
import { choose, focused, tabTo } from './support/tabbing.ts';
import type { World } from './support/world.ts';

const phone = { width: 390, height: 800 };

/** What users do most, with the keyboard alone. Chromium has the detailed tests. */
export function describeFirefoxItems(
  world: () => World,
  openConsole: (as?: Credentials, refusals?: string[]) => Promise<FirefoxTab>,
): void {
  describe('by keyboard', () => {
    test('a partner on a phone checks files, imports them, runs a failed import again, and finds it', async () => {
      const partner = await world().marketplace.partner('k');
      await partner.upload('may/1.csv', rows(1, 30, 'k'));
      const failed = await partner.ended(await partner.queue('late.csv'));
      await partner.upload('late.csv', rows(1, 5, 'k'));
      const refusals = ['400 /v1/marketplace/import'];
      await using tab = await openConsole({ api_key: partner.apiKey }, refusals);
      const { page } = tab;
      await page.setViewportSize(phone);
      await settled(page, 'late.csv');
      await choose(page, 'New import');
      await page.waitForFunction(() => document.querySelector('dialog[open]') !== null);
      expect((await focused(page)).name).toBe('Path');
      await page.keyboard.type('a/../b');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('dialog [role=alert]') !== null);
      await copyRequestId(page);
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => document.querySelector('dialog') === null);
      expect((await focused(page)).name).toBe('New import');
      await page.keyboard.press('Enter');
      await choose(page, 'Browse your files');
      await settled(page, 'may/');
      await choose(page, 'may/');
      await settled(page, '1.csv');
      // The focus is on the list of files, after this button.
      await page.keyboard.press('Shift+Tab');
      expect(await focused(page)).toEqual({ name: 'Use this folder may/', isSeen: true });
      await page.keyboard.press('Enter');
      await choose(page, 'Dry run: check the files without applying them', 'Space');
      await choose(page, 'Check');
      await settled(page, 'Dry run: nothing was applied.');
      expect(await partner.counts()).toEqual({ k: 0 });
      await choose(page, 'Import for real');
      await settled(page, 'All rows were applied.');
      expect(await partner.counts()).toEqual({ k: 30 });

      await tab.follow(`/console/imports/${failed.import_log_id}`);
      await settled(page, 'Nothing was applied.');
      await choose(page, 'Run again');
      await settled(page, 'All rows were applied.');
      await tab.follow('/console/imports');
      await settled(page, 'may/');
      await tabTo(page, 'Search by path, audience or ID');
      await page.keyboard.type('LATE');
      await expectRows(page, 2);
    });

    test('a partner creates an attribute and a webhook, and deletes the attribute after a question', async () => {
      const partner = await world().marketplace.partner();
      await using tab = await openConsole({ api_key: partner.apiKey });
      const { page } = tab;
      await tab.follow('/console/attributes');
      await settled(page, 'No attributes yet');
      await choose(page, 'New attribute');
      await settled(page, 'Your key');
      await page.keyboard.type('Coffee');
      await tabTo(page, 'Your key');
      await page.keyboard.type('coffee');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Coffee');
      await choose(page, 'Delete');
      await settled(page, 'Delete this attribute?');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => document.querySelector('dialog') === null);
      expect((await focused(page)).name).toBe('Delete');
      await page.keyboard.press('Enter');
      await settled(page, 'Delete this attribute?');
      await choose(page, 'Delete for good');
      await settled(page, 'The data was deleted.');

      await tab.follow('/console/webhooks');
      await settled(page, 'No webhooks');
      await choose(page, 'New webhook');
      await settled(page, 'Create the webhook');
      const url = 'https://receiver.invalid/hook';
      await page.keyboard.type(url);
      await page.keyboard.press('Enter');
      await settled(page, 'It will not be shown again.');
      await choose(page, 'Done');
      await settled(page, url);
      await choose(page, url);
      await settled(page, 'No events yet');
      await choose(page, 'Send a test');
      await expectRows(page, 1);
    });

    test('an operator filters jobs, with failures first, reads a trend, and copies the ID of a failed request', async () => {
      const partner = await world().marketplace.partnerNamed('Basil Feeds', 'basil');
      expect((await partner.importedFile('bad,basil\n')).status).toBe(3);
      expect((await partner.importedFile(rows(1, 1, 'basil'))).status).toBe(2);
      await using tab = await openConsole(world().asOperator, ['404 /admin/v1/jobs/999999999']);
      const { page } = tab;
      await tab.follow(`/console/operator/jobs?partner_id=${partner.partnerId}`);
      await expectRows(page, 2, 'Failed');
      await tabTo(page, 'State');
      await page.keyboard.type('Done');
      await expectRows(page, 1, 'Done');
      await page.keyboard.press('Home');
      await expectRows(page, 2, 'Failed');
      await tabTo(page, 'Order');
      await page.keyboard.type('Newest');
      await expectRows(page, 2, 'Done');

      await tab.follow('/console/operator/jobs/999999999');
      await settled(page, 'No such job.');
      await copyRequestId(page);

      await tab.follow('/console/operator');
      await settled(page, 'Longest wait in the queue');
      for (let plot = 0; plot < 2; plot++) {
        await tabTo(page, 'Plot. The arrow keys show the figures.');
      }
      await page.keyboard.press('End');
      await page.waitForFunction(() =>
        /, \d+ failed jobs?$/.test(document.activeElement?.nextElementSibling?.textContent ?? ''),
      );
    });

    test('a customer chooses the dark theme, which stays after a reload', async () => {
      const { user } = world().shop.harbor;
      await using tab = await openConsole(user);
      const { page } = tab;
      await page.emulateMedia({ colorScheme: 'light' });
      await tab.open('/console/audiences');
      await settled(page, 'Summer sale');
      await choose(page, user.email);
      await tabTo(page, 'System');
      for (let presses = 0; presses < 2; presses++) await page.keyboard.press('ArrowRight');
      expect((await focused(page)).name).toBe('Dark');
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
      await tab.open('/console/audiences');
      await settled(page, 'Summer sale');
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    });

    test('an operator filters the audit log', async () => {
      await using tab = await openConsole(world().asOperator);
      const { page } = tab;
      await tab.follow('/console/operator/audit');
      await settled(page, 'Create a partner');
      await tabTo(page, 'Who');
      await page.keyboard.type('Apps');
      await page.waitForFunction(
        () =>
          location.search.includes('actor=app') &&
          !document.querySelector('table')?.textContent?.includes('Create a partner'),
      );
    });

    test('a customer compares two audiences, reads a plot, and is told that a report has too few devices', async () => {
      const { shop, customers } = world();
      const customer = await customers.create('Sage Tea');
      const ingest = ingestOf(shop.acme, await customers.userToken(shop.acme, customer));
      await shop.acme.upload('sage.csv', rows(1, 80, ''));
      const visits = await ingest.settled(await ingest.create('summer/visits.csv', 'Visits'));
      const few = await ingest.settled(await ingest.create('sage.csv', 'Few'));
      await using tab = await openConsole(customer.user);
      const { page } = tab;
      await page.setViewportSize(phone);
      await tab.follow('/console/compare');
      await settled(page, 'Second audience');
      await tabTo(page, 'First audience');
      await page.keyboard.type('Visits');
      await settled(page, 'Second audience');
      await tabTo(page, 'Second audience');
      await page.keyboard.type('Few');
      await settled(page, 'Both audiences');

      await tab.follow(`/console/segments/${few.default_warehouse_segment_id}`);
      await settled(page, 'too few devices to tell');
      await tab.follow(`/console/segments/${visits.default_warehouse_segment_id}`);
      await settled(page, 'What stands out');
      await tabTo(page, 'Plot. The arrow keys show the figures.');
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction(() =>
        /Index \d+/.test(document.activeElement?.nextElementSibling?.textContent ?? ''),
      );
    });

    test('a user who forgot the password chooses a new one on a phone', async () => {
      const { customers, smtp } = world();
      const { user } = await customers.create('Forgetful Fox');
      await using tab = await openConsole();
      const { page } = tab;
      await page.setViewportSize(phone);
      await choose(page, 'Forgot password?');
      await settled(page, 'The service e-mails you a link');
      if ((await focused(page)).name !== 'E-mail') await tabTo(page, 'E-mail');
      await page.keyboard.type(user.email);
      await page.keyboard.press('Enter');
      await settled(page, 'a link is on its way');
      await eventually(async () => expect(linkIn(smtp, user.email)).toContain('#trib_link_'));
      const { pathname, hash } = new URL(linkIn(smtp, user.email));
      await tab.open(pathname + hash);
      await settled(page, 'Choose a password');
      expect((await focused(page)).name).toBe('New password');
      await page.keyboard.type('a fox remembers');
      await tabTo(page, 'New password again');
      await page.keyboard.type('a fox remembers');
      await page.keyboard.press('Enter');
      await settled(page, 'Password set');
    });

    test('a reader of the API reference searches it, chooses a language, copies code and sends a request', async () => {
      await using tab = await openConsole();
      const { page } = tab;
      await tab.open('/docs');
      await settled(page, 'API reference');
      await page.keyboard.press('/');
      await page.keyboard.type('dry_run');
      await page.waitForFunction(() => document.querySelector('.results a') !== null);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expectCurrent(page, '#operation-queueImport');
      await tab.open('/docs#operation-listAttributes');
      await expectCurrent(page, '#operation-listAttributes');
      await tabTo(page, 'curl');
      await page.keyboard.press('ArrowRight');
      expect((await focused(page)).name).toBe('TypeScript');
      await copyBy(page, 'Copy');
      await choose(page, 'Try it: List attributes');
      await page.keyboard.type(world().shop.acme.apiKey);
      await page.keyboard.press('Enter');
      await settled(page, '200 OK');
    });
  });
}

const copyRequestId = (page: BrowserPage) => copyBy(page, 'Copy the request ID');

/** "Copied" is shown for two seconds only, so the page itself notes that it was. */
async function copyBy(page: BrowserPage, button: string): Promise<void> {
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const texts = [...document.querySelectorAll('button, [role=status]')];
      if (!texts.some(({ textContent }) => textContent === 'Copied')) return;
      document.documentElement.dataset.copied = 'yes';
      observer.disconnect();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await choose(page, button);
  await page.waitForFunction(() => document.documentElement.dataset.copied === 'yes');
  await page.evaluate(() => {
    delete document.documentElement.dataset.copied;
  });
}

/** Waits until the contents mark this section. */
async function expectCurrent(page: BrowserPage, target: string): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      document.querySelector('nav [aria-current="location"]')?.getAttribute('href') === wanted,
    target,
  );
}

/** Waits until the table has this many rows, the first of them with this text. */
async function expectRows(page: BrowserPage, count: number, first = ''): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const listed = [...document.querySelectorAll('tbody tr')];
      return (
        listed.length === wanted.count && (listed[0]?.textContent ?? '').includes(wanted.first)
      );
    },
    { count, first },
  );
}
