import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { audiencePath, ingestOf } from '../acceptance/audience/ingest.ts';
import { type Partner, rows } from '../acceptance/marketplace/marketplace.ts';
import { cellsOf, rowWith, textOf, titled } from './support/looking.ts';
import { startOtherSite, submitForm } from './support/other-site.ts';
import { faultsOf } from './support/page-faults.ts';
import { startPartnerApp } from './support/partner-app.ts';
import { signIn } from './support/sign-in-form.ts';
import { focused, tabTo } from './support/tabbing.ts';
import type { World } from './support/world.ts';

const question = 'An app wants to act for you';
const closed = 'This request is no longer open';
const wrongAccount = 'Sign in as a customer’s user';
const notFound = /^404 \/v1\/console\/authorizations\//;

/** A hostile name: it begins from right to left, is very long, and piles up combining marks. */
const posing = `\u05e8\u05e2\u05d4 evil ${'W'.repeat(120)} Allow, it is safe x${'\u0301'.repeat(40)}`;

export function describeAuthorize(world: () => World): void {
  describe('an app asks for permission:', { concurrent: true }, () => {
    let partner: Partner;
    beforeAll(async () => {
      partner = await world().marketplace.partnerNamed('Loader Labs');
    });

    test('the user signs in, allows the app, sees what it loaded, and stops it', async () => {
      const { url, customers } = world();
      const { user } = await customers.create('Corner Bakery');
      await using app = await startPartnerApp(world(), partner);
      await using tab = await world().openConsole({ elsewhere: [app.url] });
      const { page } = tab;
      await app.connect(page);
      await titled(page, 'Sign in');
      expect(await page.getByRole('radio', { name: 'Customer' }).isChecked()).toBe(true);
      const address = page.url();
      await signIn(page, user);
      await titled(page, question);
      expect(page.url()).toBe(address);
      const said = await textOf(page.getByRole('main'));
      for (const part of [
        /App\s+Audience Loader\s+of Loader Labs\s+On behalf of\s+Corner Bakery/,
        new RegExp(`You will then be sent to\\s+${new URL(app.url).host}`),
        /You can decide until \d\d:\d\d/,
      ]) {
        expect(said).toMatch(part);
      }
      expect(await textOf(page.getByRole('banner'))).toMatch(
        new RegExp(`Signed in as\\s+${user.email}\\s+of\\s+Corner Bakery`),
      );

      const decisions = decisionsOf(page);
      // A click right after the window gained the focus was meant for another window.
      await button(page, 'Allow').click({ trial: true });
      await button(page, 'Allow').evaluate((allow: HTMLElement) => {
        window.dispatchEvent(new Event('focus'));
        allow.click();
      });
      expect(decisions).toEqual([]);
      await button(page, 'Allow').dblclick();
      const callback = await app.cameBack(page);
      expect(decisions).toHaveLength(1);
      expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
      expect(callback.searchParams.get('iss')).toBe(url);
      const { accessToken, refreshToken } = await app.redeem(callback);
      const loaded = await ingestOf(partner, accessToken).loadedFile(rows(1, 60, 'visit'));
      expect(loaded).toMatchObject({ status: 2, unique_devices: 60 });

      await tab.open('/console/audiences');
      await rowWith(page, 'visitors').getByText('Loader Labs').first().waitFor();
      await page.getByRole('link', { name: 'Connected apps' }).click();
      await titled(page, 'Connected apps');
      const row = rowWith(page, app.name);
      await row.waitFor();
      expect(await cellsOf(row)).toEqual([
        [app.name, 'Loader Labs', 'just now', 'just now', 'in 30 days', 'Stop'],
      ]);
      await page.getByRole('button', { name: `Stop ${app.name}` }).click();
      await page.getByRole('button', { name: 'Stop the app' }).click();
      await page.getByText('No connected apps').waitFor();
      const headers = { 'x-user-token': accessToken };
      expect((await partner.call('GET', audiencePath, { headers })).status).toBe(401);
      await expect(app.refresh(refreshToken)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    test('a partner and an operator cannot decide; a user who signs in instead can refuse', async () => {
      const { customers, asOperator } = world();
      const { user } = await customers.create('Third Place');
      await using app = await startPartnerApp(world(), partner);
      await using tab = await world().openConsole({
        as: { api_key: partner.apiKey },
        elsewhere: [app.url],
        refusals: [notFound],
      });
      const { page } = tab;
      await app.connect(page);
      const address = page.url();
      await titled(page, wrongAccount);
      expect(await textOf(page.getByRole('main'))).toMatch(
        /You are signed in as\s+Loader Labs\s*, a partner/,
      );
      await page.getByRole('button', { name: /^Sign out and sign in/ }).click();
      await signIn(page, asOperator);
      await titled(page, wrongAccount);
      await page.getByRole('button', { name: 'Not you?' }).click();
      await signIn(page, user);
      await titled(page, question);
      expect(page.url()).toBe(address);
      await button(page, 'Do not allow').click();
      const callback = await app.cameBack(page);
      expect(callback.searchParams.get('error')).toBe('access_denied');
      expect(callback.searchParams.has('code')).toBe(false);
      await expect(app.redeem(callback)).rejects.toMatchObject({ error: 'access_denied' });
      await page.goBack();
      await titled(page, closed);
    });

    test('the page says when a request can no longer be decided', async () => {
      const { operator, customers } = world();
      const { user } = await customers.create('Late Show');
      await using app = await startPartnerApp(world(), partner);
      await using tab = await world().openConsole({
        as: user,
        elsewhere: [app.url],
        refusals: [notFound],
      });
      const { page } = tab;
      const path = `/admin/v1/partners/${partner.partnerId}/oauth-apps/${app.clientId}`;
      // The request of a disabled app looks like an expired one.
      const disable = (disabled: boolean) => operator.call('PATCH', path, { disabled });
      await app.connect(page);
      await titled(page, question);
      await disable(true);
      await button(page, 'Allow').click();
      await titled(page, closed);

      await disable(false);
      await page.clock.install();
      await app.connect(page);
      await titled(page, question);
      await disable(true);
      await page.clock.fastForward('59:00');
      await titled(page, question);
      await page.clock.fastForward('01:02');
      await titled(page, closed);
    });

    test('a page of another origin cannot decide, on the same site or another', async () => {
      const { url, customers } = world();
      const { user } = await customers.create('Lured');
      await using app = await startPartnerApp(world(), partner);
      const begunElsewhere = await app.arriveWithoutBrowser();
      await using tab = await world().openConsole({ as: user, elsewhere: [app.url] });
      await app.connect(tab.page);
      await titled(tab.page, question);
      const decide = `${url}/v1/console/authorizations/${uidIn(tab.page.url())}`;
      const lure = `<!doctype html><title>other</title>
        <iframe src="${tab.page.url()}"></iframe><a href="${begunElsewhere}">A present</a>`;
      for (const host of ['127.0.0.1', 'localhost'] as const) {
        await using site = await startOtherSite(lure, host);
        const other = await tab.context.newPage();
        await other.goto(site.url);
        const framed = other.frames()[1];
        await framed?.waitForLoadState();
        expect(framed?.url()).toBe('chrome-error://chromewebdata/');
        expect(await sentFrom(other, decide)).toEqual(['blocked', 'opaque', 'blocked']);
        for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
          const status = await submitForm(other, decide, type, { '{"allow":true,"a":"': '"}' });
          expect(status).toBeGreaterThanOrEqual(400);
          await other.goto(site.url);
        }
        if (host === 'localhost') {
          // A request started in another browser can be neither allowed nor continued here.
          await other.getByRole('link', { name: 'A present' }).click();
          await titled(other, closed);
        }
        await other.close();
      }
      const { request } = tab.context;
      const onwards = await request.get(`${url}/oauth/authorize/${uidIn(begunElsewhere)}`);
      expect(onwards.status()).toBe(400);
      expect(await (await request.get(`${url}/v1/console/apps`)).json()).toEqual([]);
      expect((await request.get(decide)).status()).toBe(200);
    });

    test('a signed-in user allows an app with a hostile name by keyboard, in any theme and width', async () => {
      const { customers, marketplace } = world();
      const { user } = await customers.create('Careful Reader');
      const shady = await marketplace.partnerNamed(`${posing} of a partner`);
      await using app = await startPartnerApp(world(), shady, posing);
      await using tab = await world().openConsole({ as: user, elsewhere: [app.url] });
      const { page } = tab;
      await app.connect(page);
      await titled(page, question);
      expect(await faultsOf(page)).toEqual([]);
      expect(await reversedTexts(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await tabTo(page, 'Not you?');
      await tabTo(page, 'Do not allow');
      await tabTo(page, 'Allow');
      await page.keyboard.press('Enter');
      await app.redeem(await app.cameBack(page));

      await tab.open('/console/apps');
      await rowWith(page, 'evil').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      expect(await reversedTexts(page)).toEqual([]);
      await tabTo(page, `Stop ${posing}`);
      await page.keyboard.press('Enter');
      await tabTo(page, 'Stop the app');
      await page.keyboard.press('Enter');
      await page.getByText('No connected apps').waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await focused(page)).name).toBe('Apps that act for you');
    });
  });
}

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true });
}

/** Collects every decision that the page sends from now on. */
function decisionsOf(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  return sent;
}

/** The outcomes of decisions that a script of this page sends. */
function sentFrom(page: Page, address: string): Promise<string[]> {
  return page.evaluate(async (decide) => {
    const body = '{"allow":true}';
    const headers = { 'content-type': 'application/json' };
    const calls: RequestInit[] = [
      { method: 'POST', headers, body },
      // The browser sends this one but hides the response.
      { method: 'POST', mode: 'no-cors', body },
      {},
    ];
    return Promise.all(
      calls.map((init) =>
        fetch(decide, { credentials: 'include', ...init }).then(
          ({ type }) => type,
          () => 'blocked',
        ),
      ),
    );
  }, address);
}

function uidIn(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** Our own texts in the page that are not drawn from left to right. */
function reversedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const leftOf = (node: Node, at: number) => {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect().left;
    };
    const ours = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement?.closest('bdi') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    const found: string[] = [];
    for (let node = ours.nextNode(); node; node = ours.nextNode()) {
      const text = node.textContent ?? '';
      const at = text.search(/\w\w/);
      if (at >= 0 && leftOf(node, at) > leftOf(node, at + 1)) found.push(text);
    }
    return found;
  });
}
