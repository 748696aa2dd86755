import { databaseOf, type ServingConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { bindDataDir } from '../data-dir/data-dir.ts';
import { messageOf } from '../domain/errors.ts';
import { openDatabase } from '../records/database/connection.ts';
import { migrate } from '../records/database/migrate.ts';
import type { Sealing } from '../records/database/sealing.ts';
import { createRecords } from '../records/records.ts';
import { checkPlaces } from './check-places.ts';

/**
 * Brings the database to this version, and makes sure that it is ours: that what others have sealed
 * can be opened here, and that what others have put on disk is here.
 */
export async function prepareDatabase(config: ServingConfig, sealing: Sealing): Promise<void> {
  const database = databaseOf(config);
  await migrate(database).catch((cause) => {
    throw new ConfigError(`DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
  });
  const db = openDatabase({ ...database, maxConnections: 1 });
  try {
    const { installation, places } = createRecords(db, sealing);
    const installationId = await installation.identify().catch((cause) => {
      throw new ConfigError(`DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
    });
    await bindDataDir(config.dataDir, installationId);
    await checkPlaces(config, places);
  } finally {
    await db.destroy();
  }
}

/** A host with several addresses that all refuse gives one error without a message of its own. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(messageOf).join(', ')
    : messageOf(error);
}
