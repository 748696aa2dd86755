import type { DiskReserve } from '../../domain/disk-reserve.ts';
import type { Records } from '../../records/records.ts';
import { neededRuns } from '../needed-runs.ts';
import type { Maintenance } from '../port.ts';
import { createMaintenanceFile } from './file/maintenance-file.ts';
import { retryIfRemoved } from './file/run-opener.ts';
import { devicesIn, type Sets } from './sets/sets.ts';
import { createUnreadableRuns } from './unreadable-runs.ts';

export interface ResolveDependencies {
  readonly directory: string;
  readonly records: Pick<
    Records,
    'manifest' | 'runFiles' | 'profiles' | 'damagedRuns' | 'suppression'
  >;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
}

/** Hashes every stored device once. */
export function createResolveDigests(deps: ResolveDependencies): Maintenance['resolveDigests'] {
  const { directory, records, sets, reserve } = deps;
  const { manifest, profiles, suppression, runFiles } = records;
  return async (digests, into, signal) => {
    const unreadable = createUnreadableRuns(records.damagedRuns);
    let damaged = 0;

    async function resolve() {
      signal.throwIfAborted();
      await using held = new AsyncDisposableStack();
      const sources = await profiles.sourcesOf([digests.segmentId]);
      const gained = neededRuns([digests], sources)[0]!.runs;
      const digested = await sets.open(async () => gained, held);
      if (digested.length === 0) return { add: [], drop: [] };
      const without = await sets.open(() => manifest.runsOf([into]), held);
      const take = await sets.open(async () => {
        const stored = await suppression.storedRuns();
        damaged = stored.damaged;
        return stored.runs.filter(unreadable.isReadable);
      }, held);
      const file = held.use(
        createMaintenanceFile({ directory, runFiles, reserve, kind: 'suppression' }),
      );
      const found = sets.gather({ take, without, digested }, signal);
      await file.write(into, devicesIn(found), signal);
      return { add: await file.finish(), drop: [] };
    }

    const change = await unreadable.skipping(() => retryIfRemoved(resolve));
    return { change, isComplete: damaged + unreadable.count === 0 };
  };
}
