import { expect } from 'vitest';
import { formatDeviceId } from '../../src/domain/device-id.ts';
import { ManifestConflict } from '../../src/domain/errors.ts';
import type { Records } from '../../src/records/records.ts';
import type { Run } from '../../src/records/warehouse/manifest.ts';
import type { LoadMeaning, MaintainedWarehouse, StagedLoad } from '../../src/warehouse/port.ts';
import { type Row, rowBatch } from '../support/row-batches.ts';

export interface WarehouseUnderTest extends AsyncDisposable {
  readonly warehouse: MaintainedWarehouse;
  readonly records: Records;
  /** Another warehouse over the same data, as in another process. */
  reopen(records: Records): Promise<MaintainedWarehouse>;
  /** Maintenance of the engine, without any of its delays. */
  readonly maintenance: {
    compact(): Promise<unknown>;
    sweep(): Promise<unknown>;
  };
  /** The devices of each run, in stored order, by a reader that shares no code with the engine. */
  readRuns(runs: readonly Run[]): Promise<string[][]>;
}

/** Loads, commits and reads for the contract suites. */
export interface Bench {
  readonly under: WarehouseUnderTest;
  newJob(): number;
  stage(rows: readonly Row[], meaning: LoadMeaning, job?: Attempt): Promise<StagedLoad>;
  commit(staged: StagedLoad): Promise<void>;
  /** Like a job: starts over if maintenance changed the manifest meanwhile. */
  load(rows: readonly Row[], meaning: LoadMeaning): Promise<StagedLoad>;
  drop(segmentId: number): Promise<void>;
  /** The devices of segments; fails unless their runs are sorted, disjoint and counted correctly. */
  contentsOf(segmentIds: readonly number[]): Promise<string[][]>;
}

interface Attempt {
  readonly jobId: number;
  readonly attempt: number;
}

export const { signal } = new AbortController();

export function device(number: number): string {
  const bytes = new Uint8Array(16).fill(0xa7);
  new DataView(bytes.buffer).setUint32(2, number);
  return formatDeviceId(bytes);
}

export function merging(...segmentIds: number[]): LoadMeaning {
  return { segmentIds, everyRow: null, mode: 'merge' };
}

export function createBench(under: WarehouseUnderTest): Bench {
  const { warehouse, records } = under;
  let lastJobId = 0;
  const newJob = () => ++lastJobId;

  async function stage(
    rows: readonly Row[],
    meaning: LoadMeaning,
    job: Attempt = { jobId: newJob(), attempt: 1 },
  ): Promise<StagedLoad> {
    await using load = warehouse.beginLoad(job);
    // In several batches, as from a file.
    const third = Math.ceil(rows.length / 3);
    for (let at = 0; at < rows.length; at += third) {
      await load.add(rowBatch(rows.slice(at, at + third)));
    }
    return await load.stage(meaning, signal);
  }

  function commit({ change }: StagedLoad): Promise<void> {
    return records.inTransaction((tx) => tx.manifest.apply(change));
  }

  return {
    under,
    newJob,
    stage,
    commit,
    async load(rows, meaning) {
      const jobId = newJob();
      for (let attempt = 1; ; attempt++) {
        const staged = await stage(rows, meaning, { jobId, attempt });
        try {
          await commit(staged);
          return staged;
        } catch (error) {
          if (!(error instanceof ManifestConflict) || attempt === 10) throw error;
        }
      }
    },
    async drop(segmentId) {
      await records.inTransaction(async (tx) => {
        await tx.manifest.apply({ add: [], drop: await tx.manifest.runsOf([segmentId]) });
      });
    },
    async contentsOf(segmentIds) {
      const runs = await records.manifest.runsOf(segmentIds);
      const contents = await under.readRuns(runs);
      return segmentIds.map((segmentId) => {
        const own = contents.filter((_, i) => runs[i]!.segmentId === segmentId);
        const counts = runs.filter((run) => run.segmentId === segmentId).map((run) => run.devices);
        expect(own.map((devices) => devices.length)).toEqual(counts);
        for (const devices of own) expect(devices).toEqual(devices.toSorted());
        const all = new Set(own.flat());
        expect(all.size).toBe(own.flat().length);
        return [...all].sort();
      });
    },
  };
}
