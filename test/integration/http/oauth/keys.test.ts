import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTwoApps } from '../../../support/app.ts';
import { publicUrl } from '../../../support/browser.ts';
import { freshRecords } from '../../../support/database.ts';
import { expectProblem } from '../../../support/http.ts';
import {
  arriveIn,
  decideIn,
  partnerApp,
  serveAuthorization,
  userAt,
} from '../../../support/oauth.ts';

test('processes that start together create one key', async () => {
  await using database = await freshRecords();
  const { oauthKeys } = database.records;
  const loaded = await Promise.all(Array.from({ length: 8 }, () => oauthKeys.current()));
  const kids = loaded.map((keys) => keys.map(({ kid }) => kid).join());
  expect(new Set(kids).size).toBe(1);
  expect(await oauthKeys.list()).toHaveLength(1);
});

test('a new key signs only after every process has had time to load it', async () => {
  await using database = await freshRecords();
  const { oauthKeys } = database.records;
  const order = async () => (await oauthKeys.current()).map(({ kid }) => kid);
  const olderBy = async (seconds: number) => {
    await sql`
      update oauth_key set created_at = created_at - make_interval(secs => ${seconds}),
        retired_at = retired_at - make_interval(secs => ${seconds})
    `.execute(database.db);
  };
  const [first] = await order();
  const second = await oauthKeys.rotate();
  expect(await order()).toEqual([first, second]);
  await olderBy(31);
  expect(await order()).toEqual([second, first]);
  const third = await oauthKeys.rotate();
  expect(await order()).toEqual([second, first, third]);
  await olderBy(31);
  expect(await order()).toEqual([third, second, first]);
  await olderBy(65 * 60);
  expect(await order()).toEqual([third]);
  expect(await oauthKeys.prune()).toBe(2);
  await olderBy(365 * 24 * 3600);
  expect(await order()).toEqual([third]);
});

describe('rotating keys', () => {
  let running: Awaited<ReturnType<typeof startTwoApps>>;
  let apps: typeof running.apps;
  beforeAll(async () => {
    running = await startTwoApps();
    ({ apps } = running);
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const keys = (method: string) =>
    apps[0].call(method, '/admin/v1/oauth-keys', { token: apps[0].adminToken });

  test('is for the operator and shows nothing private', async () => {
    await apps[0].call('GET', '/oauth/jwks');
    const { body: before } = await keys('GET');
    expect(before).toEqual([
      { kid: expect.any(String), created_at: expect.any(String), retired_at: null },
    ]);
    const { status, body } = await keys('POST');
    expect([status, body]).toEqual([201, { kid: expect.any(String) }]);
    const { body: after } = await keys('GET');
    expect(after).toEqual([
      { kid: body.kid, created_at: expect.any(String), retired_at: null },
      { ...before[0], retired_at: expect.any(String) },
    ]);
    expectProblem(await apps[0].call('POST', '/admin/v1/oauth-keys'), 401, 'unauthenticated');
    const jwks = await apps[0].call('GET', '/oauth/jwks');
    for (const key of jwks.body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    }
  });

  test('does not interrupt a pending authorization in any process', async () => {
    const app = await partnerApp(apps);
    const { browser } = await userAt(apps);
    const { url } = await app.begin();
    const uid = await arriveIn(browser, url);
    await keys('POST');
    const callback = await decideIn(browser, uid, true);
    expect(callback.searchParams.get('code')).toMatch(/./);
  });

  test('takes effect in a running process within seconds', async () => {
    const { records, database } = apps[0];
    let time = Date.now();
    await using process = await serveAuthorization(records, publicUrl, () => time);
    const publishedKeys = async () => {
      const response = await fetch(`${process.url}/oauth/jwks`);
      const { keys } = (await response.json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    };
    const [before] = await publishedKeys();
    const kid = await records.oauthKeys.rotate();
    await sql`
      update oauth_key set created_at = created_at - interval '31 seconds' where kid = ${kid}
    `.execute(database.db);
    time += 14_000;
    expect(await publishedKeys()).not.toContain(kid);
    time += 2_000;
    const after = await publishedKeys();
    expect(after[0]).toBe(kid);
    expect(after).toContain(before);
  });
});
