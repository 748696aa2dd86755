import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/records/database.ts';
import { migrate } from '../../src/records/migrate.ts';
import { createRecords, type Records } from '../../src/records/records.ts';
import { testSealing } from './sealing.ts';

export interface FreshRecords extends AsyncDisposable {
  readonly url: string;
  readonly schema: string;
  readonly db: Database;
  readonly records: Records;
}

/** Records in a schema that nobody else uses, gone when disposed of. */
export async function freshRecords(): Promise<FreshRecords> {
  const url = inject('databaseUrl');
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await migrate({ url, schema });
  const db = openDatabase({ url, schema, maxConnections: 10 });
  return {
    url,
    schema,
    db,
    records: createRecords(db, testSealing),
    async [Symbol.asyncDispose]() {
      await sql`drop schema ${sql.id(schema)} cascade`.execute(db);
      await db.destroy();
    },
  };
}
