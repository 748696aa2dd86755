import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTrash } from '../../src/data-dir/trash.ts';
import type { SegmentKind } from '../../src/records/database/schema.ts';
import type { Run, StagedRun } from '../../src/records/warehouse/manifest.ts';
import { decodeDevices } from '../../src/warehouse/runs/devices/device-words.ts';
import { createRunFile } from '../../src/warehouse/runs/file/run-file-writer.ts';
import { createSetVerbs } from '../../src/warehouse/runs/set-verbs.ts';
import { createSetTasks } from '../../src/warehouse/runs/sets/set-tasks.ts';
import { createSets } from '../../src/warehouse/runs/sets/sets.ts';
import { createInlinePool } from '../../src/warehouse/runs/testing/inline-pool.ts';
import { readRun } from '../../src/warehouse/runs/testing/read-run.ts';
import { freshRecords } from './database.ts';
import { deviceNumber } from './devices.ts';

/**
 * Records and run files without the loading half of the engine: runs are written directly. Profiles
 * are written from `profiledFrom` devices.
 */
export async function openWarehouseWorld({ profiledFrom }: { profiledFrom?: number } = {}) {
  await using setup = new AsyncDisposableStack();
  const database = setup.use(await freshRecords());
  const { records } = database;
  const directory = await mkdtemp(join(tmpdir(), 'tributary-warehouse-'));
  setup.defer(() => rm(directory, { recursive: true }));
  // In this thread, so tests of the manifest need not wait for other threads to start.
  const newPool = () => createInlinePool(1, createSetTasks);
  const trash = openTrash(directory, 7);
  const newVerbs = () =>
    createSetVerbs({ directory, records, pool: newPool(), trash, profiledFrom });
  const verbs = newVerbs();
  const resources = setup.move();
  let files = 0;
  const numbersByDevice = new Map<string, number>();

  function wordsOf(numbers: readonly number[]): Uint32Array {
    const devices = numbers.map((number) => {
      const device = deviceNumber(number).replaceAll('-', '');
      numbersByDevice.set(device, number);
      return device;
    });
    return decodeDevices(Buffer.from(devices.sort().join(''), 'hex'));
  }

  /** A file with a run of numbered devices for each segment, not yet in the manifest. */
  async function stage(
    contents: ReadonlyMap<number, readonly number[]>,
    owner: { jobId: number | null; attempt: number | null } = { jobId: null, attempt: null },
  ): Promise<StagedRun[]> {
    const file = `job-${++files}-1.parquet`;
    await records.runFiles.register({ file, ...owner });
    const runs: StagedRun[] = [];
    await using writer = await createRunFile(directory, file);
    for (const [segmentId, numbers] of contents) {
      const place = await writer.writeRun(wordsOf(numbers), async () => {});
      runs.push({ segmentId, file, ...place, devices: numbers.length });
    }
    await writer.finish();
    return runs;
  }

  return {
    ...database,
    directory,
    verbs,
    stage,

    /** The same verbs with the same records and files, as in another process. */
    moreVerbs: newVerbs,

    /** The same run reader, for verbs with records that a test observes. */
    newSets: () => createSets({ directory, pool: newPool() }),

    newSegment: (kind: SegmentKind) => records.segments.create(kind),

    /** Adds a run of numbered devices to a segment, in a new file. */
    async add(segmentId: number, numbers: readonly number[]): Promise<void> {
      const add = await stage(new Map([[segmentId, numbers]]));
      await records.inTransaction((tx) => tx.manifest.apply({ add, drop: [] }));
    },

    async drop(...runs: readonly Run[]): Promise<void> {
      await records.inTransaction((tx) => tx.manifest.apply({ add: [], drop: runs }));
    },

    runsOf: (segmentId: number) => records.manifest.runsOf([segmentId]),

    /** The numbers of the devices in a segment. */
    async numbersOf(segmentId: number): Promise<number[]> {
      const runs = await records.manifest.runsOf([segmentId]);
      const devices = runs.flatMap((run) => readRun(directory, run));
      return devices.map((device) => numbersByDevice.get(device)!).sort((a, b) => a - b);
    },

    files: async () => (await readdir(directory)).sort(),

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type WarehouseWorld = Awaited<ReturnType<typeof openWarehouseWorld>>;

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
