import type { DiskReserve } from '../../domain/disk-reserve.ts';
import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import { RunsMissing, type RunTransfer } from '../port.ts';
import { damagedPlace } from './file/damage-error.ts';
import { createMaintenanceFile } from './file/maintenance-file.ts';
import { devicesIn, type Sets } from './sets/sets.ts';

export interface TransferDependencies {
  readonly directory: string;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
  readonly runFiles: Pick<RunFiles, 'register' | 'renew'>;
}

export function createRunTransfer(deps: TransferDependencies): RunTransfer {
  const { sets } = deps;
  return {
    async *readRuns(runs, signal) {
      await using held = new AsyncDisposableStack();
      // Opening checks the number of devices of each run.
      const opened = await sets.open(async () => runs, held);
      const byId = new Map(opened.map((each) => [each.run.runId, each]));
      for (const { runId, segmentId } of runs) {
        const take = [byId.get(runId)!];
        yield { segmentId, devices: devicesIn(sets.gather({ take }, signal)) };
      }
    },

    /** All in one file. */
    async writeRuns(contents, signal) {
      await using file = createMaintenanceFile({ ...deps, kind: 'copy' });
      for await (const { segmentId, devices } of contents) {
        await file.write(segmentId, devices, signal);
      }
      return await file.finish();
    },

    async haveRuns(runs, signal) {
      const whole = new Set<StagedRun>();
      for (const [, ofFile] of Map.groupBy(runs, ({ file }) => file)) {
        signal.throwIfAborted();
        if (await isReadable(ofFile.map((run) => ({ ...run, runId: 0 })))) {
          for (const run of ofFile) whole.add(run);
        }
      }
      return runs.map((run) => whole.has(run));
    },
  };

  async function isReadable(runs: readonly Run[]): Promise<boolean> {
    try {
      await using held = new AsyncDisposableStack();
      await sets.open(async () => runs, held);
      return true;
    } catch (error) {
      if (error instanceof RunsMissing || damagedPlace(error)) return false;
      throw error;
    }
  }
}
