import { expect, test } from 'vitest';
import { startTestApp } from '../../../support/app.ts';
import { openBrowser } from '../../../support/browser.ts';
import { freshRecords } from '../../../support/database.ts';
import { expectProblem } from '../../../support/http.ts';
import { partnerApp, userAt } from '../../../support/oauth.ts';
import { startRelay } from '../../../support/relay.ts';

test('during a database outage apps and browsers must retry, and lose nothing', async () => {
  await using database = await freshRecords();
  await using relay = await startRelay(database.url);
  await using service = await startTestApp({ database, databaseUrl: relay.url });
  await relay.cut();
  const unstarted = await service.call('GET', '/oauth/jwks');
  expectProblem(unstarted, 503, 'unavailable');
  await relay.mend();

  const app = await partnerApp([service]);
  const { browser } = await userAt([service]);
  const { refreshToken } = await app.tokensFrom(browser);
  const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const { url } = await app.begin();

  await relay.cut();
  const page = await openBrowser(service).visit(url.href);
  expect(page.status).toBe(503);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('temporarily_unavailable');
  const refused = await app.post('/oauth/token', refresh);
  expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable']);
  for (const answer of [page, refused]) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    expect(answer.text).not.toMatch(/PGSQL|ENOENT|ECONN|socket/);
  }
  await relay.mend();

  expect((await app.post('/oauth/token', refresh)).status).toBe(200);
  expect(service.logged.join('')).not.toContain('"level":"error"');
});
