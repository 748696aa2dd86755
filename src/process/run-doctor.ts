import type { Config, ServingConfig } from '../config/config.ts';
import { databaseOf } from '../config/config.ts';
import { readSecretKeys } from '../data-dir/data-dir.ts';
import { examine } from '../doctor/examine.ts';
import { messageOf } from '../domain/errors.ts';
import type { Finding } from '../domain/finding.ts';
import { openDatabase } from '../records/database/connection.ts';
import { findEmbeddedServer } from '../records/database/embedded/server.ts';
import { createSealing } from '../records/database/sealing.ts';
import { createRecords, type Records } from '../records/records.ts';
import { loadS3, sharedBucketOptions } from './stores.ts';
import { findWarehouse, openClusterWarehouse } from './warehouse/find-warehouse.ts';

interface DoctorOptions {
  readonly deep: boolean;
  readonly onBytes?: (bytes: number) => void;
}

/** Examines the service from this machine, with its settings, whether it runs or not. */
export async function runDoctor(config: Config, options: DoctorOptions): Promise<Finding[]> {
  await using resources = new AsyncDisposableStack();
  const databaseUrl = config.databaseUrl ?? (await findEmbeddedServer(config.dataDir));
  if (databaseUrl === null) {
    const databaseError = 'the embedded PostgreSQL does not run';
    return examine({ config, records: null, databaseError, parts: {}, ...options });
  }
  const serving = { ...config, databaseUrl };
  try {
    const records = await openRecords(serving, resources);
    const { config: used } = await findWarehouse(serving, records);
    const warehouse = openLazily(used, records, resources);
    const parts = partsOf(used, warehouse, resources);
    const replicas = async () => (await (await warehouse())?.replicas()) ?? [];
    const found = { records, databaseError: null, parts, replicas };
    return await examine({ config: serving, ...found, ...options });
  } catch (error) {
    const databaseError = messageOf(error);
    return examine({ config: serving, records: null, databaseError, parts: {}, ...options });
  }
}

async function openRecords(
  config: ServingConfig,
  resources: AsyncDisposableStack,
): Promise<Records> {
  const db = openDatabase({ ...databaseOf(config), maxConnections: 2 });
  resources.defer(() => db.destroy());
  // The check of the permissions reports a file that cannot be read.
  const keys = await readSecretKeys(config.dataDir, config.secretKeys).catch(() => []);
  const records = createRecords(db, createSealing(keys));
  await records.checkReady();
  return records;
}

/** Opens the ClickHouse warehouse on the first call. */
function openLazily(
  config: ServingConfig,
  records: Records,
  resources: AsyncDisposableStack,
): OpenWarehouse {
  let opened: ReturnType<OpenWarehouse> | undefined;
  return () => {
    opened ??= openClusterWarehouse(config, records).then((found) => found && resources.use(found));
    return opened;
  };
}

type OpenWarehouse = () => ReturnType<typeof openClusterWarehouse>;

/** Checks of the bucket and the warehouse, if they are external. */
function partsOf(
  config: ServingConfig,
  warehouse: OpenWarehouse,
  resources: AsyncDisposableStack,
): Record<string, () => Promise<void>> {
  const { objects, bucket } = config;
  return {
    ...(objects.kind === 's3' && {
      bucket: async () => {
        const { createS3Store } = await loadS3();
        await resources.use(createS3Store(sharedBucketOptions(bucket, objects))).checkReady();
      },
    }),
    ...(config.clickhouse && {
      warehouse: async () => {
        await (await warehouse())?.checkReady();
      },
    }),
  };
}
