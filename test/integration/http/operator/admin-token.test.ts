import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { signIn } from '../../../support/console-session.ts';
import { expectProblem } from '../../../support/http.ts';

/** Two processes with the same token from the environment. */
let app: TestApp;
let other: TestApp;
const saved: string[] = [];
beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({
    database: app.database,
    saveAdminToken: async (token) => void saved.push(token),
  });
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const isValid = async (token: string, at = app) =>
  (await at.call('GET', '/admin/v1/partners', { token })).status === 200;

async function rotate(token: string, overlap_seconds?: number): Promise<string> {
  const json = overlap_seconds === undefined ? {} : { overlap_seconds };
  const { status, body } = await app.call('POST', '/admin/v1/admin-token/rotate', { token, json });
  expect(status).toBe(201);
  expect(body.is_saved).toBe(false);
  return body.admin_token;
}

/** As if the overlap of every replaced token had ended. */
function endOverlap() {
  return sql`update admin_token_rotation set old_valid_until = now()`.execute(app.database.db);
}

describe('rotating the admin token', () => {
  test('replaces it in every process, after the overlap for ever', async () => {
    const old = app.adminToken;
    const session = await signIn(app, { admin_token: old });
    const first = await rotate(old, 3600);
    for (const at of [app, other]) {
      expect(await isValid(first, at)).toBe(true);
      expect(await isValid(old, at)).toBe(true);
    }
    // The sessions end at once, but the old token may still sign in.
    expectProblem(await session.call('GET', '/admin/v1/partners'), 401, 'unauthenticated');
    const again = await signIn(app, { admin_token: old });
    expect((await again.call('GET', '/admin/v1/partners')).status).toBe(200);
    await endOverlap();
    for (const at of [app, other]) {
      expect(await isValid(old, at)).toBe(false);
      expect(await isValid(first, at)).toBe(true);
    }
    expectProblem(await again.call('GET', '/admin/v1/partners'), 401, 'unauthenticated');

    const second = await rotate(first);
    expect(await isValid(first)).toBe(true);
    const third = await rotate(second, 0);
    for (const ended of [old, first, second]) expect(await isValid(ended)).toBe(false);
    expect(await isValid(third, other)).toBe(true);
    expectProblem(
      await app.call('POST', '/v1/console/session', { json: { admin_token: second } }),
      401,
      'unauthenticated',
    );

    // A process that is started with the new token accepts it, and one with an unrelated token only that.
    const tokens = app.records.adminTokens;
    const { hashAdminToken: hash } = await import('../../../../src/http/server/admin-token.ts');
    expect(await tokens.isValid(hash(third), hash(third))).toBe(true);
    expect(await tokens.isValid(hash('set by hand'), hash('set by hand'))).toBe(true);
    expect(await tokens.isValid(hash('set by hand'), hash(third))).toBe(false);

    const mine = await signIn(app, { admin_token: third });
    const others = await signIn(app, { admin_token: third });
    const rotated = await mine.call('POST', '/admin/v1/admin-token/rotate', { json: {} });
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect((await mine.call('GET', '/admin/v1/partners')).status).toBe(200);
    expectProblem(await others.call('GET', '/admin/v1/partners'), 401, 'unauthenticated');
    const { admin_token: last } = rotated.body;

    const here = await other.call('POST', '/admin/v1/admin-token/rotate', {
      token: last,
      json: { overlap_seconds: 0 },
    });
    expect(here.body).toMatchObject({ is_saved: true, admin_token: saved[0] });
    expect(saved).toHaveLength(1);
    const audit = await app.call('GET', '/admin/v1/audit', { token: saved[0]! });
    for (const token of [first, second, third, last, saved[0]!]) {
      expect(audit.text).not.toContain(token);
      expect(app.logged.join('')).not.toContain(token);
    }
    expectProblem(
      await app.call('POST', '/admin/v1/admin-token/rotate', {
        token: saved[0]!,
        json: { overlap_seconds: 31 * 24 * 3600 },
      }),
      400,
      'invalid_input',
    );
  });
});
