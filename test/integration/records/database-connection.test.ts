import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { StatementCancelled } from '../../../src/domain/errors.ts';
import { runForCaller } from '../../../src/records/database/caller-shares.ts';
import { openDatabase, openPool } from '../../../src/records/database/connection.ts';
import { freshRecords } from '../../support/database.ts';
import { startRelay } from '../../support/relay.ts';

/** A message of PostgreSQL's protocol: its kind, its length, its body. */
function message(kind: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

it('the first query fails if the server ends the session in the packet that begins it', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const db = openDatabase({
    url: `postgres://tributary@127.0.0.1:${port}/tributary?sslmode=disable`,
    schema: 'tributary',
    maxConnections: 1,
  });
  await expect(sql`select 1`.execute(db)).rejects.toMatchObject({ code: 'unavailable' });
  await db.destroy();
  server.close();
});

it('a session that is idle in a transaction is ended, which frees its locks and fails its transaction', async () => {
  await using fresh = await freshRecords();
  const { rows } = await sql<{ limit: string }>`
    select current_setting('idle_in_transaction_session_timeout') as limit
  `.execute(fresh.db);
  expect(rows).toEqual([{ limit: '10s' }]);
  const { partnerId } = await fresh.records.partners.create('acme');
  const lock = sql`select from partner where partner_id = ${partnerId} for update`;
  const idle = fresh.db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 100`.execute(tx);
    await lock.execute(tx);
    await sleep(100);
    await lock.execute(fresh.db);
    await lock.execute(tx);
  });
  await expect(idle).rejects.toMatchObject({ code: 'unavailable' });
});

it('a query without an answer fails after its deadline, and its connection leaves the pool', async () => {
  await using fresh = await freshRecords();
  await using relay = await startRelay(fresh.url);
  const options = { url: relay.url, schema: fresh.schema, maxConnections: 1 };
  const db = openDatabase({ ...options, statementTimeoutMs: 500 });
  await sql`select 1`.execute(db);
  relay.hold();
  const frozen = db.transaction().execute((tx) => sql`select 'late'`.execute(tx));
  await expect(frozen).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The database is unavailable: no answer in 1.5 seconds',
  });
  await relay.cut();
  await relay.mend();
  expect((await sql`select 'fresh' as answer`.execute(db)).rows).toEqual([{ answer: 'fresh' }]);
  await db.destroy();
});

it('a statement that takes too long is cancelled by the server', async () => {
  await using fresh = await freshRecords();
  const db = openDatabase({ ...fresh, maxConnections: 1, statementTimeoutMs: 100 });
  await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toBeInstanceOf(StatementCancelled);
  await db.destroy();
});

it('an answer that arrives while this process is frozen counts', async () => {
  await using fresh = await freshRecords();
  const db = openDatabase({ ...fresh, maxConnections: 1, statementTimeoutMs: 200 });
  await sql`select 1`.execute(db);
  const answer = sql`select 'here' as answer`.execute(db);
  await new Promise(setImmediate);
  // Blocks the event loop past the deadline, while the answer waits in the socket.
  for (const end = performance.now() + 1_500; performance.now() < end; );
  expect((await answer).rows).toEqual([{ answer: 'here' }]);
  await db.destroy();
});

it('a tenant takes its share of the connections, also if its statements fail', async () => {
  await using fresh = await freshRecords();
  const { db, use } = openPool({ ...fresh, maxConnections: 5, connectionsPerCaller: 1 });
  await sql`select 1`.execute(db);
  const statements = Array.from({ length: 4 }, (_, i) => sql`select 1 / ${i % 2}`);
  const outcomes = await runForCaller('partner 1', () =>
    Promise.allSettled(statements.map((statement) => statement.execute(db))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  // The pool opens a connection only if all others are taken.
  expect(use()).toMatchObject({ open: 1, idle: 1 });
  await db.destroy();
});
