import { describe, expect, test } from 'vitest';
import { ingestOf } from '../acceptance/audience/ingest.ts';
import { rows } from '../acceptance/marketplace/marketplace.ts';
import { titled } from './support/looking.ts';
import { startOtherSite, submitForm } from './support/other-site.ts';
import { isSession, signInByApi } from './support/session.ts';
import { signIn } from './support/sign-in-form.ts';
import type { World } from './support/world.ts';

/** What a page can pass to `fetch` as plain values. */
type SimpleRequest = Pick<RequestInit, 'method' | 'mode'> & {
  headers?: Record<string, string>;
  body?: string;
};

const otherPage = '<!doctype html><title>other</title><p>Hello';

export function describeAttacks(world: () => World): void {
  describe('session fixation:', { concurrent: true }, () => {
    test('signing in replaces any earlier cookie', async () => {
      const { url, shop } = world();
      const { cookie } = await signInByApi(url, { api_key: shop.acme.apiKey });
      await using tab = await world().openConsole();
      for (const before of [{ ...cookie, value: 'chosen-by-somebody-else' }, cookie]) {
        await tab.context.clearCookies();
        await tab.open('/console');
        await titled(tab.page, 'Sign in');
        await tab.context.addCookies([{ ...before, url }]);
        await signIn(tab.page, shop.harbor.user);
        await titled(tab.page, 'Audiences');
        const [after, ...others] = await tab.context.cookies();
        expect(others).toEqual([]);
        expect(after?.name).toBe(before.name);
        expect(after?.value).not.toBe(before.value);
        // The session of the earlier cookie has ended, even if it belonged to somebody else.
        expect(await isSession(url, before)).toBe(false);
      }
    });
  });

  describe('cross-site request forgery:', { concurrent: true }, () => {
    test('requests from another origin with a partner’s cookie change nothing', async () => {
      const { url, marketplace } = world();
      const partner = await marketplace.partner('k');
      const ingest = ingestOf(partner);
      const { audience_id, unique_devices } = await ingest.loadedFile(rows(1, 20, ''));
      const audience = `${url}/v2/firstparty/audience`;
      const imports = `${url}/v1/marketplace/import`;
      await using tab = await world().openConsole({ as: { api_key: partner.apiKey } });
      await tab.open('/console/imports');
      await titled(tab.page, 'Imports');

      await using site = await startOtherSite(otherPage);
      const other = await tab.context.newPage();
      const forms = [
        [imports, 'application/x-www-form-urlencoded', { file_path: 'devices.csv', key_type: '1' }],
        [imports, 'multipart/form-data', { file_path: 'devices.csv', key_type: '1' }],
        // Name, equals sign and value of a text/plain field together form valid JSON.
        [imports, 'text/plain', { '{"key_type":1,"file_path":"': 'devices.csv"}' }],
        [audience, 'text/plain', { '{"file_path":"devices.csv","name":"': 'forged"}' }],
      ] as const;
      for (const [action, type, fields] of forms) {
        await other.goto(site.url);
        expect(await submitForm(other, action, type, fields)).toBeGreaterThanOrEqual(400);
      }

      await other.goto(site.url);
      const json = { 'content-type': 'application/json' };
      const body = JSON.stringify({ file_path: 'devices.csv', key_type: 1 });
      const outcomes = await other.evaluate(
        (calls) =>
          Promise.all(
            calls.map(([address, init]) =>
              fetch(address, { credentials: 'include', ...init }).then(
                ({ type, status }) => `${type} ${status}`,
                () => 'blocked',
              ),
            ),
          ),
        [
          [imports, { method: 'POST', headers: json, body }],
          [imports, { method: 'POST', mode: 'no-cors', body }],
          [`${audience}/${audience_id}`, { method: 'PUT' }],
          [`${url}/v1/console/session`, { method: 'DELETE' }],
          [`${url}/v1/console/sessions`, { method: 'DELETE' }],
          // The other origin cannot read anything either, such as the CSRF token.
          [`${url}/v1/console/session`, {}],
          [imports, {}],
        ] as [string, SimpleRequest][],
      );
      // In no-cors mode the browser sends the request but hides the response.
      expect(outcomes).toEqual(outcomes.map((_, call) => (call === 1 ? 'opaque 0' : 'blocked')));

      expect((await partner.call('GET', '/v1/marketplace/import')).body).toEqual([]);
      expect(await ingest.list()).toMatchObject([{ audience_id, unique_devices, status: 2 }]);
      await tab.page.reload();
      await titled(tab.page, 'Imports');
    });

    test('requests from another origin with an operator’s cookie change nothing', async () => {
      const { url, operator, marketplace, asOperator } = world();
      const { partnerId } = await marketplace.partner();
      const path = `/admin/v1/partners/${partnerId}/storage-credentials`;
      const issued = async () => (await (await operator.call('GET', path)).json()) as unknown[];
      const before = await issued();
      await using site = await startOtherSite(otherPage);
      await using tab = await world().openConsole({ as: asOperator });
      const other = await tab.context.newPage();
      await other.goto(site.url);
      // Without a body any page may send it, and the browser adds the cookie.
      const outcome = await other.evaluate(async (address) => {
        const options = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const;
        return (await fetch(address, options)).type;
      }, url + path);
      expect(outcome).toBe('opaque');
      expect(await issued()).toEqual(before);
    });

    test('another origin cannot sign a user in', async () => {
      const session = `${world().url}/v1/console/session`;
      const { user } = await world().customers.create('Attacker');
      const body = JSON.stringify(user);
      await using site = await startOtherSite(otherPage);
      await using tab = await world().openConsole();
      const other = await tab.context.newPage();
      await other.goto(site.url);
      const split = body.indexOf('=');
      const field = { [body.slice(0, split)]: body.slice(split + 1) };
      expect(await submitForm(other, session, 'text/plain', field)).toBeGreaterThanOrEqual(400);
      await other.goto(site.url);
      await other.evaluate(
        ([address = '', body = '']) =>
          fetch(address, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
        [session, body],
      );
      expect(await tab.context.cookies()).toEqual([]);
    });
  });

  describe('clickjacking:', { concurrent: true }, () => {
    test('the console cannot be framed', async () => {
      const { url, shop } = world();
      await using tab = await world().openConsole({ as: shop.harbor.user });
      const paths = ['/console', '/console/audiences', '/docs'];
      const frames = paths.map((path) => `<iframe src="${url}${path}"></iframe>`);
      await using site = await startOtherSite(
        `<!doctype html><title>other</title>${frames.join('')}`,
      );
      const other = await tab.context.newPage();
      await other.goto(site.url);
      const [, ...framed] = other.frames();
      await Promise.all(framed.map((frame) => frame.waitForLoadState()));
      const refused = 'chrome-error://chromewebdata/';
      expect(framed.map((frame) => frame.url())).toEqual(paths.map(() => refused));
    });
  });
}
