import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/records/database/connection.ts';
import { freshRecords } from '../../support/database.ts';

/** A message of PostgreSQL's protocol: its kind, its length, what it says. */
function message(kind: string, ...said: Buffer[]): Buffer {
  const body = Buffer.concat(said);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

it('a session that the server ends in the packet that begins it is a fault of its first query', async () => {
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

it('who stands still in a transaction keeps others from nothing for long, and is told that it came to nothing', async () => {
  await using fresh = await freshRecords();
  const { rows } = await sql<{ limit: string }>`
    select current_setting('idle_in_transaction_session_timeout') as limit
  `.execute(fresh.db);
  expect(rows).toEqual([{ limit: '10s' }]);
  const { partnerId } = await fresh.records.partners.create('acme');
  const lock = sql`select from partner where partner_id = ${partnerId} for update`;
  const standing = fresh.db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 100`.execute(tx);
    await lock.execute(tx);
    await sleep(100);
    await lock.execute(fresh.db);
    await lock.execute(tx);
  });
  await expect(standing).rejects.toMatchObject({ code: 'unavailable' });
});
