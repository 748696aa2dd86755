import { databaseOf, objectsFolder, type ServingConfig, storesFiles } from '../config/config.ts';
import { readOrCreateSecretKeys } from '../data-dir/data-dir.ts';
import { readDiskSpace } from '../data-dir/disk-reserve.ts';
import { createProcessMetrics, type ProcessMetrics } from '../metrics/process-metrics.ts';
import { type DiskStore, openDiskStore } from '../objects/disk/disk-store.ts';
import type { ObjectStore } from '../objects/port.ts';
import type { S3Options } from '../objects/s3/s3-client.ts';
import { type DatabaseOptions, openPool } from '../records/database/connection.ts';
import { createSealing } from '../records/database/sealing.ts';
import { createRecords, type Records } from '../records/records.ts';
import { reserveOf } from './warehouse/find-warehouse.ts';

interface Stores {
  readonly records: Records;
  readonly objects: ObjectStore;
  /** The same store, if it is the embedded one. */
  readonly disk: DiskStore | null;
  readonly metrics: ProcessMetrics;
}

/** Opens the records and the objects, which both roles use. */
export async function openStores(
  config: ServingConfig,
  limits: Omit<DatabaseOptions, 'url' | 'schema'>,
  resources: AsyncDisposableStack,
): Promise<Stores> {
  const { db, use } = openPool({ ...databaseOf(config), ...limits });
  resources.defer(() => db.destroy());
  const metrics = createProcessMetrics({
    poolUse: use,
    diskSpace: storesFiles(config) ? () => readDiskSpace(config.dataDir, config.diskReserve) : null,
  });
  const sealing = createSealing(await readOrCreateSecretKeys(config.dataDir, config.secretKeys));
  const records = createRecords(db, sealing);
  switch (config.objects.kind) {
    case 'disk': {
      const folder = objectsFolder(config);
      const disk = await openDiskStore(
        folder,
        records.objectIndex,
        records.uploads,
        reserveOf(config),
        config.objects.openUploads,
      );
      return { records, disk, objects: disk, metrics };
    }
    case 's3': {
      const { createS3Store } = await loadS3();
      const options = sharedBucketOptions(config.bucket, config.objects);
      const onError: S3Options['onError'] = (error) => metrics.storageFailed('shared', error);
      const objects = createS3Store({ ...options, onError });
      resources.use(objects);
      return { records, disk: null, objects, metrics };
    }
  }
}

export function sharedBucketOptions(
  bucket: string,
  objects: Extract<ServingConfig['objects'], { kind: 's3' }>,
): S3Options {
  const { kind: _, publicUrl: __, accessKeyId, secretAccessKey, ...place } = objects;
  return { ...place, bucket, credentials: { accessKeyId, secretAccessKey } };
}

/** Loaded only if needed: the AWS SDK is large and slows down the start and garbage collection. */
export function loadS3() {
  return import('../objects/s3/s3-store.ts');
}
