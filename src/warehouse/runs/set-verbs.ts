import { type DiskReserve, noReserve } from '../../domain/disk-reserve.ts';
import type { Trash } from '../../domain/trash.ts';
import type { Records } from '../../records/records.ts';
import type { ThreadPool } from '../../threads/thread-pool.ts';
import { overlapBy } from '../overlap.ts';
import type { Maintenance, RunTransfer, Warehouse } from '../port.ts';
import { createCheckSuppressed } from './check-suppressed.ts';
import { createCompaction } from './compact.ts';
import { createCompare } from './compare.ts';
import { createCountDistinct } from './count-distinct.ts';
import { createIntersect } from './intersect.ts';
import { createRead } from './read-devices.ts';
import { createResolveDigests } from './resolve-digests.ts';
import type { SetTasks } from './sets/set-tasks.ts';
import { createSets } from './sets/sets.ts';
import { createSubtract } from './subtract-segment.ts';
import { createSweep } from './sweep.ts';
import { createRunTransfer } from './transfer-runs.ts';
import { createUniverseFold } from './universe-fold.ts';

export type RunsRecords = Pick<
  Records,
  | 'manifest'
  | 'runFiles'
  | 'universe'
  | 'damagedRuns'
  | 'profiles'
  | 'suppression'
  | 'inTransaction'
  | 'unlessLocked'
>;

export interface SetVerbsOptions {
  readonly directory: string;
  readonly records: RunsRecords;
  readonly reserve?: DiskReserve;
  readonly trash: Trash;
  /** Runs with fewer devices in all get no profile. */
  readonly profiledFrom?: number | undefined;
  readonly pool: ThreadPool<SetTasks>;
}

/** Everything the warehouse does apart from loading. */
export interface SetVerbs
  extends Pick<
      Warehouse,
      'compare' | 'overlap' | 'intersect' | 'read' | 'countDistinct' | 'checkSuppressed'
    >,
    Maintenance,
    RunTransfer {}

export function createSetVerbs(options: SetVerbsOptions): SetVerbs {
  const { directory, records, pool, reserve = noReserve, trash, profiledFrom } = options;
  const { manifest, profiles, damagedRuns } = records;
  const sets = createSets({ directory, pool });
  const compare = createCompare({ profiles, damagedRuns, sets });
  const overlap = overlapBy(compare);
  return {
    compare,
    overlap,
    intersect: createIntersect({ manifest, overlap, sets }),
    read: createRead({ manifest, sets }),
    checkSuppressed: createCheckSuppressed({ profiles, sets }),
    resolveDigests: createResolveDigests({ directory, records, sets, reserve }),
    subtract: createSubtract({ directory, records, sets, reserve }),
    countDistinct: createCountDistinct({ manifest, damagedRuns, sets }),
    refreshUniverse: createUniverseFold({ directory, ...records, sets, reserve, profiledFrom }),
    compact: createCompaction({ directory, records, sets, reserve, profiledFrom }),
    sweep: createSweep({ directory, ...records, trash }),
    ...createRunTransfer({ directory, runFiles: records.runFiles, sets, reserve }),
  };
}
