import { join } from 'node:path';
import { databaseOf, type ServingConfig } from '../config/config.ts';
import { readOrMakeSecretKeys } from '../data-dir/data-dir.ts';
import { type DiskStore, openDiskStore } from '../objects/disk/disk-store.ts';
import type { ObjectStore } from '../objects/port.ts';
import type { S3Options } from '../objects/s3/s3-client.ts';
import { openDatabase } from '../records/database/connection.ts';
import { createSealing } from '../records/database/sealing.ts';
import { createRecords, type Records } from '../records/records.ts';
import { type TendedWarehouse, WrongWarehouse } from '../warehouse/port.ts';

/** Longer than a reader takes that has looked into the manifest before a run was dropped. */
export const warehouseGraceSeconds = 15 * 60;

interface Stores {
  readonly records: Records;
  readonly objects: ObjectStore;
  /** The same, if it is the embedded one. */
  readonly disk: DiskStore | null;
}

/** The records and the objects, which every role uses. */
export async function openStores(
  config: ServingConfig,
  maxConnections: number,
  resources: AsyncDisposableStack,
): Promise<Stores> {
  const db = openDatabase({ ...databaseOf(config), maxConnections });
  resources.defer(() => db.destroy());
  const sealing = createSealing(await readOrMakeSecretKeys(config.dataDir, config.secretKeys));
  const records = createRecords(db, sealing);
  switch (config.objects.kind) {
    case 'disk': {
      const folder = join(config.dataDir, 'objects');
      const disk = await openDiskStore(folder, records.objectIndex, records.uploads);
      return { records, disk, objects: disk };
    }
    case 's3': {
      const { createS3Store } = await loadS3();
      const objects = createS3Store(sharedBucketOptions(config.bucket, config.objects));
      resources.use(objects);
      return { records, disk: null, objects };
    }
  }
}

/** The warehouse where it is a ClickHouse cluster. Null: it is in the data dir. */
export async function openClusterWarehouse(
  config: ServingConfig,
  records: Records,
): Promise<TendedWarehouse | null> {
  const { clickhouse: address } = config;
  if (!address) return null;
  const { openClickhouseWarehouse } = await import(
    '../warehouse/clickhouse/clickhouse-warehouse.ts'
  );
  const graceSeconds = warehouseGraceSeconds;
  const warehouse = openClickhouseWarehouse({ address, records, graceSeconds });
  // One that is away is waited for; one that is not ours will never do.
  await warehouse.checkReady().catch((error) => {
    if (error instanceof WrongWarehouse) throw error;
  });
  return warehouse;
}

/** Where it is in the data dir. */
export function warehouseFolder({ dataDir }: ServingConfig): string {
  return join(dataDir, 'warehouse');
}

export function sharedBucketOptions(
  bucket: string,
  objects: Extract<ServingConfig['objects'], { kind: 's3' }>,
): S3Options {
  const { kind: _, publicUrl: __, accessKeyId, secretAccessKey, ...place } = objects;
  return { ...place, bucket, credentials: { accessKeyId, secretAccessKey } };
}

/** The AWS SDK is large: whoever does without it starts sooner and collects garbage faster. */
export function loadS3() {
  return import('../objects/s3/s3-store.ts');
}
