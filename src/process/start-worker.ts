import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  databaseOf,
  objectsFolder,
  type ServingConfig,
  storesFiles,
  warehouseFolder,
} from '../config/config.ts';
import { readVersion } from '../config/version.ts';
import { recordDataAge } from '../data-dir/data-age.ts';
import { openSuppressionFile } from '../data-dir/suppression-file.ts';
import { openTrash } from '../data-dir/trash.ts';
import { createDisclosures } from '../domain/disclosure/disclosure.ts';
import { limits } from '../domain/limits.ts';
import { createIntake } from '../intake/intake.ts';
import { createAudienceLoad } from '../jobs/audience/audience-load.ts';
import { audienceParts } from '../jobs/audience/audience-part.ts';
import { refreshAudiences } from '../jobs/audience/refresh-audiences.ts';
import { createDeletion } from '../jobs/import/deletion.ts';
import { createImport } from '../jobs/import/import.ts';
import { importParts } from '../jobs/import/import-part.ts';
import { defaultSharing } from '../jobs/parts/plan-parts.ts';
import { createPartReader } from '../jobs/parts/read-parts.ts';
import { sweepStoredRows } from '../jobs/parts/sweep-stored-rows.ts';
import { applyJournal } from '../jobs/privacy/apply-journal.ts';
import { applySuppressions } from '../jobs/privacy/apply-suppressions.ts';
import { carryOutRequests } from '../jobs/privacy/carry-out-requests.ts';
import { pollWatches } from '../jobs/watch/poll-watches.ts';
import { queueWatches } from '../jobs/watch/queue-watches.ts';
import { deleteRemoved } from '../jobs/worker/delete-removed.ts';
import { expireUploads } from '../jobs/worker/expire-uploads.ts';
import { type MaintenanceTask, runMaintenance } from '../jobs/worker/maintenance.ts';
import { pruneExpired } from '../jobs/worker/prune-expired.ts';
import { sampleUsage } from '../jobs/worker/sample-usage.ts';
import { untilMoved } from '../jobs/worker/watch-place.ts';
import { untilSchemaIsNewer } from '../jobs/worker/watch-schema.ts';
import { createWorker } from '../jobs/worker/worker-loop.ts';
import { serveMetrics } from '../metrics/serve-metrics.ts';
import { createWorkerMetrics, type WorkerMetrics } from '../metrics/worker-metrics.ts';
import type { DiskStore } from '../objects/disk/disk-store.ts';
import { listenForJobs } from '../records/queue/job-notices.ts';
import type { Records } from '../records/records.ts';
import type { MaintainedWarehouse } from '../warehouse/port.ts';
import { openRunsWarehouse } from '../warehouse/runs/runs-warehouse.ts';
import { createPost } from '../webhooks/post.ts';
import { type SenderOptions, sendWebhooks } from '../webhooks/sender.ts';
import { backupTask } from './backup-task.ts';
import { createBucketJournal } from './bucket-journal.ts';
import { dropTask } from './drop-task.ts';
import { createIsolatedWorker, type IsolatedWorker } from './isolated-worker.ts';
import { lowerPriority } from './lower-priority.ts';
import { openTracer } from './open-tracer.ts';
import { partnerBuckets } from './partner-buckets.ts';
import { openStores } from './stores.ts';
import { warehouseCopyTask } from './warehouse/copy-task.ts';
import {
  findWarehouse,
  openClusterWarehouse,
  reserveOf,
  warehouseGraceSeconds,
} from './warehouse/find-warehouse.ts';
import { type PlacedWork, restartWhenMoved } from './warehouse/restart-when-moved.ts';

const leaseSeconds = 6;
const pollMs = 1_000;
/** How many small jobs run beside `workerConcurrency` jobs of any size. Each takes up to 10 MB. */
const smallConcurrency = 8;
/** One for the job itself, one for its progress reports. A small job has little progress to report. */
const connectionsPerJob = 2;
/** Connections that a worker needs besides those of its jobs. Ten of them hold locks. */
const spareWorkerConnections = 15;
const sweepEveryMs = 60 * 60 * 1000;
const sweepGraceMs = 24 * 60 * 60 * 1000;
const foldEveryMs = 1_500;
const compactEveryMs = 60_000;
const dataAgeEveryMs = 5_000;
/** How long a stop waits for work that an abort does not end, such as a request without an answer. */
const stopMs = 3_000;
/** How long a stop waits for the last record of the data's age. */
const lastRecordMs = 500;
const watchesListedAtOnce = 4;
const warehouseSweepEveryMs = 10 * 60 * 1000;

/** Runs jobs and maintenance until disposed. */
export async function startWorker(config: ServingConfig, log: Logger): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  const isolated = starting.use(createIsolatedWorker(log));
  starting.use(await restartWhenMoved(() => startJobs(config, log, isolated), log));
  return starting.move();
}

/** Runs suspects until disposed, one at a time. */
export async function startIsolatedWorker(
  config: ServingConfig,
  log: Logger,
): Promise<AsyncDisposable> {
  return restartWhenMoved(() => startJobs({ ...config, workerConcurrency: 1 }, log, null), log);
}

/** Leaves suspects to the isolated worker, or is that worker itself, if it is null. */
async function startJobs(
  settings: ServingConfig,
  log: Logger,
  isolated: IsolatedWorker | null,
): Promise<PlacedWork> {
  lowerPriority();
  await using starting = new AsyncDisposableStack();
  const smallJobs = isolated ? smallConcurrency : 0;
  const maxConnections =
    connectionsPerJob * settings.workerConcurrency + smallJobs + spareWorkerConnections;
  const stores = await openStores(settings, { maxConnections }, starting);
  const { records, objects, disk } = stores;
  const { config, place } = await findWarehouse(settings, records, log);
  const copyId = place?.copyId ?? null;
  const inPlace = records.inPlace(copyId);
  const warehouse = starting.use(await openWarehouse(config, inPlace, smallJobs));
  const metrics = createWorkerMetrics({
    places: () => ({
      any: { running: worker.running.any, most: config.workerConcurrency },
      small: { running: worker.running.small, most: smallJobs },
    }),
  });
  const intake = metrics.countIntake(
    starting.use(
      createIntake({
        threads: availableParallelism(),
        mostAheadBytes: config.loadMemoryBytes / 4,
      }),
    ),
  );
  const draw = await records.reportedContents.draw();
  const disclosures = createDisclosures(config.disclosure, draw);
  const openPartnerBucket = partnerBuckets(config, (error) =>
    stores.metrics.storageFailed('partner', error),
  );
  // A suspect may kill every worker that reads a part of it.
  const sharing = isolated ? defaultSharing : undefined;
  const worker = createWorker({
    records,
    observer: metrics,
    tracer: starting.use(await openTracer(config, 'worker', log)),
    kinds: {
      import: createImport({
        records,
        objects,
        openPartnerBucket,
        intake,
        warehouse,
        rejectLimit: config.rejectLimit,
        rejectAllowance: config.rejectAllowance,
        maxFiles: config.maxFilesPerJob,
        sharing,
      }),
      deletion: createDeletion({ records, warehouse }),
      audience: createAudienceLoad({
        records,
        objects,
        intake,
        warehouse,
        rejectLimit: config.rejectLimit,
        rejectAllowance: config.rejectAllowance,
        maxFiles: config.maxFilesPerJob,
        sharing,
        disclosures,
        log,
      }),
    },
    log,
    concurrency: config.workerConcurrency,
    smallConcurrency: smallJobs,
    leaseSeconds,
    maxLosses: config.maxWorkerLosses,
    pollMs,
    suspects: isolated === null,
    ...(isolated && {
      helper: createPartReader({
        records,
        objects,
        intake,
        kinds: {
          import: importParts({ records, objects, openPartnerBucket, intake }),
          audience: audienceParts({ objects, intake }),
        },
        log,
        leaseSeconds,
      }),
    }),
    onSuspects: (exist) => isolated?.keep(exist),
  });
  if (isolated) await records.suppression.setScope(config.privacyScope === 'marketplace');
  const journal = disk ? openSuppressionFile(config.dataDir) : createBucketJournal(objects);
  const dataAge = storesFiles(config) ? [dataAgeOf(config, records)] : [];
  const tasks = [
    ...warehouseTasks(config, warehouse, log),
    ...(disk ? [sweepOf(disk, config)] : []),
    ...dataAge,
    refreshAudiences({ records, warehouse, disclosures, log }),
    deleteRemoved({ records, objects }),
    applySuppressions({ records, warehouse }),
    applyJournal({ records, warehouse, journal, log }),
    carryOutRequests({ records, warehouse, journal }),
    dropTask({ config, records, objects, warehouse, journal, log }),
    sweepStoredRows({ records, objects }),
    expireUploads({ records, objects, days: config.uploadRetentionDays, log }),
    ...Array.from({ length: watchesListedAtOnce }, () =>
      pollWatches({ records, objects, openPartnerBucket, log }),
    ),
    queueWatches(records, log),
    sampleUsage(records),
    pruneExpired(records, config.retention),
    backupTask({ config, records, database: databaseOf(config) }),
    warehouseCopyTask({ config, records, warehouse, place, log }),
  ];
  // The isolated worker has no port of its own. What it does shows in the metrics of the service.
  if (isolated && config.workerMetricsPort !== null) {
    const sources = [stores.metrics.registry, metrics.registry];
    starting.use(await serveMetrics(sources, config.host, config.workerMetricsPort));
  }
  const stopping = new AbortController();
  // An outdated worker stops, but does not start again.
  const moved = untilMoved(records, copyId, pollMs, stopping.signal).then((isMoved) =>
    isMoved ? undefined : new Promise<undefined>(() => {}),
  );
  const ended = Promise.all([
    worker.run(stopping.signal),
    listenForJobs(databaseOf(config), worker.wake, stopping.signal),
    isolated && runMaintenance(tasks, log, stopping.signal, metrics.taskEnded),
    isolated && sendWebhooks(webhooksOf(config, records, metrics, log), stopping.signal),
    // An outdated worker releases its jobs and does nothing more. It waits for its own shutdown,
    // because a restart of the same version would be refused.
    untilSchemaIsNewer(records, log, pollMs, stopping.signal).then(() => stopping.abort()),
  ]);
  starting.defer(async () => {
    stopping.abort();
    // The jobs are released at once, so the leftover work can no longer commit.
    await Promise.race([ended, sleep(stopMs, undefined, { ref: false })]);
    // Nothing changes any more. If the database is gone, the next start records it.
    const recorded = Promise.all(dataAge.map(({ run }) => run(stopping.signal))).catch(() => {});
    await Promise.race([recorded, sleep(lastRecordMs, undefined, { ref: false })]);
  });
  const running = starting.move();
  return { moved, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function warehouseTasks(
  config: ServingConfig,
  warehouse: MaintainedWarehouse,
  log: Logger,
): MaintenanceTask[] {
  const rewriteAfterSeconds = (config.deletionHours * 60 * 60) / 4;
  return [
    {
      name: 'universe fold',
      everyMs: foldEveryMs,
      async run(signal) {
        const { folded } = await warehouse.refreshUniverse(signal);
        return { folded };
      },
    },
    {
      name: 'warehouse compaction',
      everyMs: compactEveryMs,
      async run(signal) {
        const { damaged, ...done } = await warehouse.compact({ rewriteAfterSeconds }, signal);
        for (const reason of damaged) log.warn({ reason }, 'damaged runs found');
        return { ...done, damaged: damaged.length };
      },
    },
    {
      name: 'warehouse sweep',
      everyMs: warehouseSweepEveryMs,
      run: async (signal) => ({ ...(await warehouse.sweep(warehouseGraceSeconds, signal)) }),
    },
  ];
}

function webhooksOf(
  { webhookTargets: targets }: ServingConfig,
  records: Records,
  { webhookAttempted: onAttempt }: WorkerMetrics,
  log: Logger,
): SenderOptions {
  const post = createPost({ targets, timeoutMs: limits.webhookSeconds.most * 1_000 });
  return { records, post, log, version: readVersion(), onAttempt };
}

function sweepOf(disk: DiskStore, config: ServingConfig): MaintenanceTask {
  const trash = openTrash(objectsFolder(config), config.trashDays);
  return {
    name: 'object store sweep',
    everyMs: sweepEveryMs,
    run: () => disk.sweep(sweepGraceMs, trash),
  };
}

/** Records in the data dir how new the database is. */
function dataAgeOf({ dataDir }: ServingConfig, records: Records): MaintenanceTask {
  return {
    name: 'data age',
    everyMs: dataAgeEveryMs,
    async run() {
      await recordDataAge(dataDir, await records.dataChanges.latest());
      return {};
    },
  };
}

async function openWarehouse(
  config: ServingConfig,
  records: Records,
  smallLanes: number,
): Promise<MaintainedWarehouse> {
  const cluster = await openClusterWarehouse(config, records, smallLanes);
  if (cluster) return cluster;
  return await openRunsWarehouse({
    directory: warehouseFolder(config),
    records,
    threads: availableParallelism(),
    memoryBytes: config.loadMemoryBytes,
    lanes: config.workerConcurrency,
    smallLanes,
    reserve: reserveOf(config),
    trash: openTrash(warehouseFolder(config), config.trashDays),
    profiledFrom: config.profileMin ?? undefined,
  });
}
