import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pruneExpired } from '../../../src/jobs/worker/prune-expired.ts';
import type { Schema } from '../../../src/records/database/schema.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let partnerId: number;
beforeEach(async () => {
  fresh = await freshRecords();
  ({ partnerId } = await fresh.records.partners.create('acme'));
});
afterEach(() => fresh[Symbol.asyncDispose]());

const hour = 3_600;

/** Makes times a year later, as seen from the clock. */
async function setClockBack(table: keyof Schema, ...columns: string[]): Promise<void> {
  const later = columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(name)} + interval '1 year'`);
  await sql`update ${sql.table(table)} set ${sql.join(later)}`.execute(fresh.db);
}

async function secondsAhead(table: keyof Schema, column: string): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select extract(epoch from max(${sql.ref(column)}) - clock_timestamp())::float as ahead
    from ${sql.table(table)}
  `.execute(fresh.db);
  return rows[0]!.ahead;
}

const prune = () => pruneExpired(fresh.records).run(new AbortController().signal);

test('sessions, keys of upload links and replaced signing keys end within their usual time', async () => {
  const { apiKeys, consoleSessions, storageCredentials, oauthKeys } = fresh.records;
  const { apiKeyId } = await apiKeys.create(partnerId, '');
  const browser = { remoteAddress: '::1', userAgent: '' };
  await consoleSessions.create({ kind: 'partner', apiKeyId }, browser);
  await storageCredentials.forLinks({ partnerId, apiKeyId }, 60);
  await oauthKeys.current();
  await oauthKeys.rotate();
  const capped = [
    ['console_session', 'expires_at', 12 * hour],
    ['storage_credential', 'expires_at', hour],
    ['oauth_key', 'created_at', 0],
    ['oauth_key', 'retired_at', 0],
  ] as const;
  for (const [table, column] of capped) await setClockBack(table, column);

  expect(await prune()).toMatchObject({ sessions: 0, uploadCredentials: 0, oauthKeys: 0 });
  for (const [table, column, most] of capped) {
    const ahead = await secondsAhead(table, column);
    expect([table, column, ahead <= most, ahead > most - hour]).toEqual([
      table,
      column,
      true,
      true,
    ]);
  }
});

test('attempts to sign in that no longer count are deleted', async () => {
  await sql`insert into sign_in_attempt (subject) values ('s')`.execute(fresh.db);
  await setClockBack('sign_in_attempt', 'tried_at');
  expect(await prune()).toMatchObject({ signInAttempts: 1 });
});

test('records from before keep their times, and do not protect older ones behind them', async () => {
  await sql`
    insert into job (partner_id, kind, state, attempt, created_at, updated_at)
    select ${partnerId}, 'import', 'done', 1, at, at
    from generate_series(1, 11101) as n, lateral (
      select now() + case when n <= 1000 then interval '1 year' when n <= 10999
        then interval '-500 days' else interval '0' end as at
    ) as stored
  `.execute(fresh.db);
  await sql`
    insert into audit_entry (request_id, action, target, remote_address, called_at)
    select '', '', '', '', now() + case when n <= 10000 then interval '1 year'
      else interval '-500 days' end
    from generate_series(1, 10001) as n
  `.execute(fresh.db);
  expect(await prune()).toMatchObject({ jobs: 9_999, auditEntries: 1 });
  expect(await secondsAhead('job', 'updated_at')).toBeGreaterThan(300 * 24 * hour);
  expect(await secondsAhead('audit_entry', 'called_at')).toBeGreaterThan(300 * 24 * hour);
});
