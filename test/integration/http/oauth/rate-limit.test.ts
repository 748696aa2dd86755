import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { openBrowser } from '../../../support/browser.ts';
import { type PartnerApp, partnerApp } from '../../../support/oauth.ts';

const perMinute = 60;

let service: TestApp;
let app: PartnerApp;
beforeAll(async () => {
  service = await startTestApp({ rateLimit: perMinute, trustProxy: true });
  app = await partnerApp([service]);
});
afterAll(() => service[Symbol.asyncDispose]());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

test('authorizations per minute are limited by network, and the refusal is a page', async () => {
  const { url } = await app.begin();
  const browser = openBrowser(service);
  for (let n = 0; n < 2; n++) {
    expect((await browser.visit(url.href, from(`2001:db8::${n}`))).status).toBe(303);
  }
  const refused = await browser.visit(url.href, from('2001:db8::3'));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(refused.text).toContain('Too many requests');
  expect((await browser.visit(url.href, from('2001:db9::1'))).status).toBe(303);
});

test('other requests per minute are limited by network, and the refusal is JSON', async () => {
  const guess = () =>
    service.call('POST', '/oauth/token', {
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...from('192.0.2.1').headers,
      },
    });
  for (let n = 0; n < perMinute; n++) expect((await guess()).status).toBe(400);
  const refused = await guess();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.body.error).toBe('rate_limited');
});
