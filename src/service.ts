import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { databaseOf, type ServingConfig } from './config.ts';
import { readOrMakeAdminToken } from './data-dir.ts';
import { createApp } from './http/app.ts';
import { createMetrics } from './http/metrics.ts';
import { createImport } from './jobs/import.ts';
import { createWorker } from './jobs/worker.ts';
import { openDiskStore } from './objects/disk/disk-store.ts';
import type { ObjectStore } from './objects/port.ts';
import { openDatabase } from './records/database.ts';
import { listenForJobs } from './records/job-notices.ts';
import { createRecords, type Records } from './records/records.ts';
import type { Warehouse } from './warehouse/port.ts';
import { openRunsWarehouse } from './warehouse/runs/runs-warehouse.ts';

const leaseSeconds = 6;
const pollMs = 1_000;
const apiConnections = 20;
/** What a worker needs besides one connection for each lane it works on. */
const spareWorkerConnections = 3;
const workerNiceness = 10;

/** Serves the API until disposed of. */
export async function startApi(config: ServingConfig, log: Logger): Promise<AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  try {
    const { records, objects, warehouse } = await openStores(config, apiConnections, resources);
    const metrics = createMetrics(records);
    const app = await createApp({
      records,
      objects,
      metrics,
      log,
      readiness: {
        database: records.checkReady,
        storage: objects.checkReady,
        warehouse: warehouse.checkReady,
      },
      adminToken: await readOrMakeAdminToken(config.dataDir, config.adminToken),
      bucket: config.bucket,
      publicUrl: config.publicUrl,
      trustProxy: config.trustProxy,
    });
    resources.defer(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    if (config.metricsPort !== null) {
      resources.use(await metrics.serve(config.host, config.metricsPort));
    }
    return resources;
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** Works on the lanes until disposed of. */
export async function startWorker(config: ServingConfig, log: Logger): Promise<AsyncDisposable> {
  // Below the API, which stays quick while files are loaded.
  setPriority(workerNiceness);
  const resources = new AsyncDisposableStack();
  const connections = config.workerConcurrency + spareWorkerConnections;
  const { records, objects, warehouse } = await openStores(config, connections, resources);
  const worker = createWorker({
    records,
    kinds: {
      import: createImport({ records, objects, warehouse, rejectLimit: config.rejectLimit }),
    },
    log,
    concurrency: config.workerConcurrency,
    leaseSeconds,
    maxLosses: config.maxWorkerLosses,
    pollMs,
  });
  const stopping = new AbortController();
  const ended = Promise.all([
    worker.run(stopping.signal),
    listenForJobs(databaseOf(config), worker.wake, stopping.signal),
  ]);
  resources.defer(async () => {
    stopping.abort();
    await ended;
  });
  return resources;
}

interface Stores {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly warehouse: Warehouse;
}

async function openStores(
  config: ServingConfig,
  maxConnections: number,
  resources: AsyncDisposableStack,
): Promise<Stores> {
  const db = openDatabase({ ...databaseOf(config), maxConnections });
  resources.defer(() => db.destroy());
  const records = createRecords(db);
  return {
    records,
    objects: await openDiskStore(join(config.dataDir, 'objects'), records.objectIndex),
    warehouse: await openRunsWarehouse({
      directory: join(config.dataDir, 'warehouse'),
      manifest: records.manifest,
    }),
  };
}
