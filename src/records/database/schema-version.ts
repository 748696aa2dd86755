import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { TributaryError } from '../../domain/errors.ts';
import type { Database } from './connection.ts';

export const migrationsFolder = new URL('./migrations/', import.meta.url);

/** The migrations of this version of Tributary, in order. */
export const migrationFiles: readonly string[] = readdirSync(migrationsFolder)
  .filter((name) => name.endsWith('.sql'))
  .sort();

/** The version of the schema that this process was built for. */
export const supportedSchema = migrationFiles.length;

/** A newer Tributary has migrated the database. This process must not change it any more. */
export class SchemaNewer extends TributaryError {
  readonly version: number;
  readonly supported = supportedSchema;

  constructor(version: number) {
    super(
      'unavailable',
      `The database is at version ${version}, but this process supports only ${supportedSchema}: restart it with the newer Tributary`,
    );
    this.version = version;
  }
}

/** The version of the database's schema, as an expression. */
export const schemaVersion = sql<number>`(select max(number) from migration)`;

/**
 * Throws SchemaNewer if the schema is newer than this process. In a transaction, no migration can
 * begin before the transaction ends. Call it first, so that the two cannot deadlock.
 */
export async function refuseNewerSchema(db: Database): Promise<void> {
  const { rows } = await sql<{ version: number }>`select ${schemaVersion} as version`.execute(db);
  refuseNewer(rows[0]!.version);
}

/** The same for a version that another statement has read. */
export function refuseNewer(version: number): void {
  if (version > supportedSchema) throw new SchemaNewer(version);
}
