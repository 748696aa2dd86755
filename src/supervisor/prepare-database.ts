import { databaseOf, type ServingConfig } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { readVersion } from '../config/version.ts';
import { bindDataDir } from '../data-dir/data-dir.ts';
import { recordVersion } from '../data-dir/data-version.ts';
import { messageOf } from '../domain/errors.ts';
import { usedWarehouse } from '../domain/warehouse/address.ts';
import { openDatabase } from '../records/database/connection.ts';
import { migrate } from '../records/database/migrate.ts';
import { SchemaNewer } from '../records/database/schema-version.ts';
import type { Sealing } from '../records/database/sealing.ts';
import { createRecords, type Records } from '../records/records.ts';
import { checkAge } from './check-data-age.ts';
import { checkPlaces } from './check-places.ts';

/**
 * Migrates the database and checks that it belongs to this service: that the secret key can decrypt
 * its secrets, that the data dir holds its files, and that it is not older than those.
 */
export async function prepareDatabase(config: ServingConfig, sealing: Sealing): Promise<void> {
  const database = databaseOf(config);
  await migrate(database).catch((cause) => {
    if (cause instanceof SchemaNewer) throw downgrade(cause);
    throw new ConfigError(`DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
  });
  const db = openDatabase({ ...database, maxConnections: 1 });
  try {
    const records = createRecords(db, sealing);
    const { installation, places, warehouseCopies } = records;
    const installationId = await installation.identify().catch((cause) => {
      throw new ConfigError(`DATABASE_URL cannot be used: ${reasonOf(cause)}`, { cause });
    });
    await checkSecrets(records);
    await bindDataDir(config.dataDir, installationId);
    const clickhouse = usedWarehouse(config.clickhouse, await warehouseCopies.place());
    const used = { ...config, clickhouse };
    await checkPlaces(used, places);
    await checkAge(used, records);
    await recordVersion(config.dataDir, readVersion());
  } finally {
    await db.destroy();
  }
}

function downgrade({ version, supported }: SchemaNewer): ConfigError {
  return new ConfigError(
    `The database was upgraded by a newer Tributary: its schema is version ${version}, and Tributary ${readVersion()} supports only ${supported}. Run the newer Tributary, or restore a backup from before the upgrade`,
  );
}

/** A process that cannot read stored secrets would fail much later, when a partner needs one. */
async function checkSecrets({ sealedSecrets }: Records): Promise<void> {
  const unreadable = await sealedSecrets.countUnreadable();
  if (unreadable.length === 0) return;
  const found = unreadable.map(({ what, values }) => `${what}: ${values}`).join(', ');
  throw new ConfigError(
    `TRIBUTARY_SECRET_KEY lacks a key that stored secrets are encrypted with (${found}). Add the missing key after the others. Before you remove it, run "tributary secret-key reseal"`,
  );
}

/** If all addresses of a host fail, Node throws an AggregateError without a message. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(messageOf).join(', ')
    : messageOf(error);
}
