import { readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { queueImport } from '../../src/actions/queue-import.ts';
import { readConfig } from '../../src/config/config.ts';
import { openTrash } from '../../src/data-dir/trash.ts';
import { noReserve } from '../../src/domain/disk-reserve.ts';
import { keyType, pathType } from '../../src/domain/job.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { createImport } from '../../src/jobs/import/import.ts';
import { applySuppressions } from '../../src/jobs/privacy/apply-suppressions.ts';
import {
  changeSuppression,
  type SuppressionChange,
} from '../../src/jobs/privacy/change-suppression.ts';
import { openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { partnerPrefix } from '../../src/records/access/partners.ts';
import { openDatabase } from '../../src/records/database/connection.ts';
import { createRecords } from '../../src/records/records.ts';
import {
  openClickhouseWarehouse,
  warehouseOn,
} from '../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { MaintainedWarehouse } from '../../src/warehouse/port.ts';
import { openRunsWarehouse } from '../../src/warehouse/runs/runs-warehouse.ts';
import { createChdbServer } from '../../test/support/chdb-world.ts';
import { fillDevice } from '../generate/devices.ts';
import { serveCalls, timed } from '../harness/serve-calls.ts';
import { type BenchCluster, benchSealing, type WorkerArguments } from './arguments.ts';
import { createAudiences, type Pace } from './audiences.ts';

// The parts of a worker process, driven by calls instead of the job queue.

export type WorkerCalls = typeof calls;

const leaseSeconds = 3_600;
const { signal } = new AbortController();

const { databaseUrl, schema, folder, partnerId, firstJobId, clickhouse } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerArguments;
const { loadMemoryBytes, rejectLimit, maxFilesPerJob: maxFiles } = readConfig({}, folder);

const db = openDatabase({ url: databaseUrl, schema, maxConnections: 7 });
const records = createRecords(db, benchSealing);
const objects = await openDiskStore(join(folder, 'objects'), records.objectIndex, records.uploads);
const warehouseFolder = join(folder, 'warehouse');
const loading = { threads: availableParallelism(), memoryBytes: loadMemoryBytes, lanes: 1 };
const warehouse = clickhouse
  ? await openCluster(clickhouse)
  : await openRunsWarehouse({
      ...loading,
      directory: warehouseFolder,
      records,
      trash: openTrash(warehouseFolder, 7),
    });
const intake = createIntake({
  threads: availableParallelism(),
  mostAheadBytes: loadMemoryBytes / 4,
});
const audiences = createAudiences({
  records,
  objects,
  intake,
  warehouse,
  warehouseFolder,
  rejectLimit,
  firstJobId,
});
const importKind = createImport({
  records,
  objects,
  intake,
  warehouse,
  rejectLimit,
  maxFiles,
  openPartnerBucket() {
    throw new Error('the benchmark does not use partner buckets');
  },
});

async function openCluster(at: BenchCluster): Promise<MaintainedWarehouse> {
  const options = {
    records,
    graceSeconds: 900,
    loading: { ...loading, directory: folder, reserve: noReserve },
  };
  if (at !== 'chdb') return openClickhouseWarehouse({ ...options, address: at });
  const { Session } = await import('chdb');
  const session = new Session();
  process.on('exit', () => session.cleanup());
  const { replicas } = await createChdbServer(session, 'bench', records);
  return warehouseOn(replicas, options);
}

/** The number of the first device that is in no file. */
const unusedDevices = 1_000_000_000;
const devicesPerChange = 100_000;

/** Devices, from that number on. */
function* changesOf(
  set: SuppressionChange['set'],
  from: number,
  count: number,
): Generator<SuppressionChange> {
  for (let begin = from; begin < from + count; begin += devicesPerChange) {
    const words = new Uint32Array(Math.min(devicesPerChange, from + count - begin) * 4);
    for (let at = 0; at < words.length; at += 4) {
      fillDevice(words.subarray(at, at + 4), 'uniform', begin + at / 4, 0);
    }
    yield { set, words };
  }
}

const calls = {
  createAudience: () => audiences.create(),
  loadAudience: ({ audience, name, ...pace }: { audience: number; name: string } & Pace) =>
    timed(() => audiences.load(audience, partnerPrefix(partnerId) + name, pace)),
  revertLoad: (audience: number) => audiences.revertLoad(audience),

  /** The overlap of an audience with each of its labels. */
  overlapWithLabels: (audience: number) =>
    timed(async () => ({ labels: await audiences.overlapWithLabels(audience) })),

  /** The overlap of an audience with each attribute, in the order of the keys. */
  async overlapWithAttributes(audience: number) {
    const { segmentIds } = await records.attributes.segmentKeys(partnerId, keyType.attributeId);
    return timed(async () => ({ counts: await audiences.overlap(audience, segmentIds) }));
  },

  /** Queues and runs an import, then reads the device count of each attribute. */
  importFile: (filePath: string) =>
    timed(async () => {
      const request = {
        filePath,
        keyType: keyType.partnerForeignKey,
        pathType: pathType.sharedBucket,
      };
      const importLogId = await queueImport(records, partnerId, request);
      const claim = await records.jobs.claim(leaseSeconds);
      await importKind.run(claim!, signal);
      const log = await records.importLogs.find(partnerId, importLogId);
      if (log?.state !== 'done') throw new Error(JSON.stringify(log));
      const attributes = await records.attributes.list(partnerId, { after: null, limit: 1_000 });
      const counts = attributes.map(({ uniqueDevices }) => uniqueDevices);
      return { devices: log.uniqueDevices, counts };
    }),

  /** Folds the imports into the universe. */
  foldUniverse: () => timed(async () => ({ ...(await warehouse.refreshUniverse(signal)) })),

  /** Suppresses digests that match no device. */
  suppressDigests: (count: number) =>
    changeSuppression(
      { records, warehouse },
      () => changesOf('digests', unusedDevices, count),
      signal,
    ),

  /** Suppresses the first devices of a file of uniform devices. */
  suppressDevices: (count: number) =>
    changeSuppression({ records, warehouse }, () => changesOf('devices', 0, count), signal),

  /** Removes suppressed devices from everything that was loaded. */
  applySuppressions: () =>
    timed(async () => {
      const { memberships = 0 } = await applySuppressions({ records, warehouse }).run(signal);
      return { memberships };
    }),

  /** The size of the manifest in the database: runs, and bytes including indexes. */
  async manifestSize(): Promise<{ runs: number; bytes: number }> {
    const { rows } = await sql<{ runs: string; bytes: string }>`
      select count(*) as runs, pg_total_relation_size('run') as bytes from run`.execute(db);
    return { runs: Number(rows[0]!.runs), bytes: Number(rows[0]!.bytes) };
  },

  /** The size of the run files on disk. */
  async fileBytes(): Promise<number> {
    const names = await readdir(warehouseFolder);
    const sizes = await Promise.all(names.map((name) => stat(join(warehouseFolder, name))));
    return sizes.reduce((sum, { size }) => sum + size, 0);
  },

  /** Removes everything that was loaded. */
  async empty(): Promise<void> {
    await sql`truncate run, run_file, copied_run, universe_change, profile, profile_source`.execute(
      db,
    );
    for (const file of await readdir(warehouseFolder)) await rm(join(warehouseFolder, file));
  },
};

serveCalls(calls, async () => {
  await intake[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
  await db.destroy();
});
