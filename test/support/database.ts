import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/records/database/connection.ts';
import { createRecords, type Records } from '../../src/records/records.ts';
import { databaseOn, onServer } from './database-server.ts';
import type {} from './provided.ts';
import { testSealing } from './sealing.ts';

export interface FreshRecords extends AsyncDisposable {
  readonly url: string;
  readonly schema: string;
  readonly db: Database;
  readonly records: Records;
}

/** Records in a new database, dropped when disposed. */
export async function freshRecords(): Promise<FreshRecords> {
  const { serverUrl, template, schema } = inject('database');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying and dropping a database takes 33 ms of CPU; migrating and dropping a schema takes 170 ms.
  await onServer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  return recordsIn(name, schema);
}

function recordsIn(name: string, schema: string): FreshRecords {
  const { serverUrl } = inject('database');
  const url = databaseOn(serverUrl, name);
  const db = openDatabase({ url, schema, maxConnections: 10 });
  return {
    url,
    schema,
    db,
    records: createRecords(db, testSealing),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      // By force, because killed processes may still be connected.
      await onServer(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

/** A backup of a database, restored beside it. Ends the connections of the original, which reconnects. */
export async function copyOfDatabase(of: Pick<FreshRecords, 'url'>): Promise<FreshRecords> {
  const { serverUrl, schema } = inject('database');
  const original = new URL(of.url).pathname.slice(1);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(
    serverUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${original}'`,
  );
  await onServer(serverUrl, `create database ${name} template ${original} strategy file_copy`);
  return recordsIn(name, schema);
}

/** The name of a schema that does not exist yet. Disposing drops it. */
export function unusedSchema(): AsyncDisposable & {
  readonly url: string;
  readonly schema: string;
} {
  const url = inject('database').serverUrl;
  const schema = `test_${randomBytes(6).toString('hex')}`;
  return {
    url,
    schema,
    [Symbol.asyncDispose]: () => onServer(url, `drop schema if exists ${schema} cascade`),
  };
}
