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

/** Records in a database that nobody else uses, gone when disposed of. */
export async function freshRecords(): Promise<FreshRecords> {
  const { serverUrl, template, schema } = inject('database');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // To copy and drop it takes the server 33 ms of a core; to migrate a schema and drop that, 170 ms.
  await onServer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = databaseOn(serverUrl, name);
  const db = openDatabase({ url, schema, maxConnections: 10 });
  return {
    url,
    schema,
    db,
    records: createRecords(db, testSealing),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      // By force, for processes that a test has killed are still on their way out.
      await onServer(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

/** The name of a schema that is not there yet; whatever was made of it is gone when disposed of. */
export function unmadeSchema(): AsyncDisposable & {
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
