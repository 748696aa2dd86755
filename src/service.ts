import { readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { databaseOf, type ServingConfig } from './config.ts';
import { readOrMakeAdminToken, readOrMakeSecretKeys } from './data-dir.ts';
import type { SharedStorage } from './http/admin-storage-credentials.ts';
import { createIntake } from './intake/intake.ts';
import { createAudienceLoad } from './jobs/audience-load.ts';
import { createDeletion } from './jobs/deletion.ts';
import { forgetExpired } from './jobs/forget-expired.ts';
import { createImport } from './jobs/import.ts';
import { type MaintenanceTask, runMaintenance } from './jobs/maintenance.ts';
import { refreshAudiences } from './jobs/refresh-audiences.ts';
import { createWorker } from './jobs/worker.ts';
import { type DiskStore, openDiskStore } from './objects/disk/disk-store.ts';
import { createEndpoint } from './objects/endpoint/endpoint.ts';
import { createEndpointUploadLinks } from './objects/endpoint/upload-links.ts';
import type { ObjectStore, OpenPartnerBucket, UploadLinks } from './objects/port.ts';
import type { S3Options } from './objects/s3/s3-client.ts';
import { openDatabase } from './records/database.ts';
import { listenForJobs } from './records/job-notices.ts';
import { createRecords, type Records } from './records/records.ts';
import { createSealing } from './records/sealing.ts';
import { type TendedWarehouse, WrongWarehouse } from './warehouse/port.ts';
import { openRunsWarehouse } from './warehouse/runs/runs-warehouse.ts';

const consoleFolder = join(import.meta.dirname, '../console/dist');
const leaseSeconds = 6;
const pollMs = 1_000;
const apiConnections = 20;
/** For a job itself, and for what is told of it meanwhile. */
const connectionsPerLane = 2;
/** What a worker needs besides those for the lanes it works on; two are locks, held by who works. */
const spareWorkerConnections = 6;
const workerNiceness = 10;
/** The region that the embedded store is in, as S3 clients must call it something. */
const embeddedRegion = 'us-east-1';
const sweepEveryMs = 60 * 60 * 1000;
const sweepGraceMs = 24 * 60 * 60 * 1000;
const foldEveryMs = 1_500;
const compactEveryMs = 60_000;
const warehouseSweepEveryMs = 10 * 60 * 1000;
/** Longer than a reader takes that has looked into the manifest before a run was dropped. */
const warehouseGraceSeconds = 15 * 60;

/** Serves the API, and the embedded store's endpoint, until disposed of. */
export async function startApi(config: ServingConfig, log: Logger): Promise<AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  // Loaded here, since the worker does without it and starts the sooner.
  const [{ createApp }, { createMetrics }] = await Promise.all([
    import('./http/app.ts'),
    import('./http/metrics.ts'),
  ]);
  try {
    const stores = await openStores(config, apiConnections, resources);
    const { records, objects, warehouse } = stores;
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
      storage: sharedStorage(config),
      uploadLinks: await uploadLinksOf(config, records),
      partnerRegions: Object.keys(config.partnerS3Endpoints),
      publicUrl: config.publicUrl,
      rateLimit: config.rateLimit,
      suppressionThreshold: config.suppressionThreshold,
      trustProxy: config.trustProxy,
      consoleFolder,
    });
    resources.defer(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    if (stores.disk && config.objects.kind === 'disk') {
      const endpoint = createEndpoint({
        store: stores.disk,
        credentials: records.storageCredentials,
        bucket: config.bucket,
        region: embeddedRegion,
        corsOrigin: new URL(config.publicUrl).origin,
        log,
      });
      resources.use(await endpoint.listen(config.host, config.objects.port));
    }
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
  giveWay();
  await using starting = new AsyncDisposableStack();
  const connections = connectionsPerLane * config.workerConcurrency + spareWorkerConnections;
  const { records, objects, disk, warehouse } = await openStores(config, connections, starting);
  const intake = starting.use(createIntake({ threads: availableParallelism() }));
  const worker = createWorker({
    records,
    kinds: {
      import: createImport({
        records,
        objects,
        openPartnerBucket: partnerBuckets(config),
        intake,
        warehouse,
        rejectLimit: config.rejectLimit,
      }),
      deletion: createDeletion({ records, warehouse }),
      audience: createAudienceLoad({
        records,
        objects,
        intake,
        warehouse,
        rejectLimit: config.rejectLimit,
        log,
      }),
    },
    log,
    concurrency: config.workerConcurrency,
    leaseSeconds,
    maxLosses: config.maxWorkerLosses,
    pollMs,
  });
  const tasks = [
    ...warehouseTasks(config, warehouse, log),
    ...(disk ? [sweepOf(disk)] : []),
    refreshAudiences({ records, warehouse, log }),
    forgetExpired(records),
  ];
  const stopping = new AbortController();
  const ended = Promise.all([
    worker.run(stopping.signal),
    listenForJobs(databaseOf(config), worker.wake, stopping.signal),
    runMaintenance(tasks, log, stopping.signal),
  ]);
  starting.defer(async () => {
    stopping.abort();
    await ended;
  });
  return starting.move();
}

/** Lets the API go first, which stays quick while files are loaded. Threads to come inherit it. */
function giveWay(): void {
  setPriority(workerNiceness);
  // On Linux that was this thread only; those that decompress and collect garbage run already.
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), workerNiceness);
}

function warehouseTasks(
  config: ServingConfig,
  warehouse: TendedWarehouse,
  log: Logger,
): MaintenanceTask[] {
  const rewriteAfterSeconds = (config.deletionHours * 60 * 60) / 4;
  return [
    {
      name: 'fold of the universe',
      everyMs: foldEveryMs,
      async run(signal) {
        const { folded } = await warehouse.refreshUniverse(signal);
        return { folded };
      },
    },
    {
      name: 'compaction of the warehouse',
      everyMs: compactEveryMs,
      async run(signal) {
        const { damaged, ...done } = await warehouse.compact({ rewriteAfterSeconds }, signal);
        for (const reason of damaged) log.warn({ reason }, 'a run file is damaged');
        return { ...done, damaged: damaged.length };
      },
    },
    {
      name: 'sweep of the warehouse',
      everyMs: warehouseSweepEveryMs,
      run: async (signal) => ({ ...(await warehouse.sweep(warehouseGraceSeconds, signal)) }),
    },
  ];
}

function sweepOf(disk: DiskStore): MaintenanceTask {
  return {
    name: 'sweep of the object store',
    everyMs: sweepEveryMs,
    run: () => disk.sweep(sweepGraceMs),
  };
}

interface Stores {
  readonly records: Records;
  readonly objects: ObjectStore;
  /** The same, if it is the embedded one. */
  readonly disk: DiskStore | null;
  readonly warehouse: TendedWarehouse;
}

async function openStores(
  config: ServingConfig,
  maxConnections: number,
  resources: AsyncDisposableStack,
): Promise<Stores> {
  const db = openDatabase({ ...databaseOf(config), maxConnections });
  resources.defer(() => db.destroy());
  const sealing = createSealing(await readOrMakeSecretKeys(config.dataDir, config.secretKeys));
  const records = createRecords(db, sealing);
  const warehouse = resources.use(await openWarehouse(config, records));
  switch (config.objects.kind) {
    case 'disk': {
      const folder = join(config.dataDir, 'objects');
      const disk = await openDiskStore(folder, records.objectIndex, records.uploads);
      return { records, warehouse, disk, objects: disk };
    }
    case 's3': {
      const { createS3Store } = await loadS3();
      const objects = createS3Store(sharedBucketOptions(config.bucket, config.objects));
      resources.use(objects);
      return { records, warehouse, disk: null, objects };
    }
  }
}

async function openWarehouse(config: ServingConfig, records: Records): Promise<TendedWarehouse> {
  const { clickhouse: address } = config;
  if (address) {
    const { openClickhouseWarehouse } = await import(
      './warehouse/clickhouse/clickhouse-warehouse.ts'
    );
    const graceSeconds = warehouseGraceSeconds;
    const warehouse = openClickhouseWarehouse({ address, records, graceSeconds });
    // One that is away is waited for; one that is not ours will never do.
    await warehouse.checkReady().catch((error) => {
      if (error instanceof WrongWarehouse) throw error;
    });
    return warehouse;
  }
  return await openRunsWarehouse({
    directory: join(config.dataDir, 'warehouse'),
    records,
    threads: availableParallelism(),
    memoryBytes: config.loadMemoryBytes,
  });
}

async function uploadLinksOf(config: ServingConfig, records: Records): Promise<UploadLinks> {
  const { bucket, objects } = config;
  switch (objects.kind) {
    case 'disk':
      return createEndpointUploadLinks({
        publicUrl: objects.publicUrl,
        bucket,
        region: embeddedRegion,
        credentials: records.storageCredentials,
      });
    case 's3': {
      const { createS3UploadLinks } = await import('./objects/s3/upload-links.ts');
      const endpoint = objects.publicUrl;
      return createS3UploadLinks({ ...sharedBucketOptions(bucket, objects), endpoint });
    }
  }
}

function sharedBucketOptions(
  bucket: string,
  objects: Extract<ServingConfig['objects'], { kind: 's3' }>,
): S3Options {
  const { kind: _, publicUrl: __, accessKeyId, secretAccessKey, ...place } = objects;
  return { ...place, bucket, credentials: { accessKeyId, secretAccessKey } };
}

/** The AWS SDK is large: whoever does without it starts sooner and collects garbage faster. */
function loadS3() {
  return import('./objects/s3/s3-store.ts');
}

function partnerBuckets(config: ServingConfig): OpenPartnerBucket {
  return async (bucket, { region, ...credentials }) => {
    const { createS3Store } = await loadS3();
    const endpoint = config.partnerS3Endpoints[region] ?? null;
    const ofAws = endpoint === null;
    return createS3Store({
      bucket,
      region,
      endpoint,
      credentials,
      pathStyle: !ofAws,
      checksums: ofAws ? 'when_supported' : 'when_required',
    });
  };
}

function sharedStorage({ bucket, objects }: ServingConfig): SharedStorage {
  switch (objects.kind) {
    case 'disk':
      return { endpoint: objects.publicUrl, region: embeddedRegion, bucket, issuedHere: true };
    case 's3': {
      const { region } = objects;
      const endpoint = objects.publicUrl ?? `https://s3.${region}.amazonaws.com`;
      return { endpoint, region, bucket, issuedHere: false };
    }
  }
}
