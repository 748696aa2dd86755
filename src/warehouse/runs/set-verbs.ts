import { type DiskReserve, noReserve } from '../../domain/disk-reserve.ts';
import type { Trash } from '../../domain/trash.ts';
import type { Records } from '../../records/records.ts';
import { createThreadPool, type ThreadPool } from '../../threads/thread-pool.ts';
import type { Maintenance, Warehouse } from '../port.ts';
import { createCompaction } from './compact.ts';
import { createCountDistinct } from './count-distinct.ts';
import { createOverlap } from './overlap.ts';
import type { SetTasks } from './sets/set-tasks.ts';
import { createSets } from './sets/sets.ts';
import { createSweep } from './sweep.ts';
import { createUniverseFold } from './universe-fold.ts';

export type RunsRecords = Pick<
  Records,
  'manifest' | 'runFiles' | 'universe' | 'damagedRuns' | 'inTransaction' | 'unlessLocked'
>;

export interface SetVerbsOptions {
  readonly directory: string;
  readonly records: RunsRecords;
  readonly threads: number;
  readonly reserve?: DiskReserve;
  readonly trash: Trash;
  /** Replaces the default pool of threads. Disposed together with the verbs. */
  readonly pool?: ThreadPool<SetTasks>;
}

/** Everything the warehouse does apart from loading. */
export interface SetVerbs
  extends Pick<Warehouse, 'overlap' | 'countDistinct'>,
    Maintenance,
    AsyncDisposable {}

/** The verbs share one pool, whose threads start when first needed. */
export function createSetVerbs(options: SetVerbsOptions): SetVerbs {
  const { directory, records, threads, reserve = noReserve, trash } = options;
  const { manifest, damagedRuns } = records;
  const program = new URL('./sets/sets-thread.ts', import.meta.url);
  const pool = options.pool ?? createThreadPool<SetTasks>(program, threads);
  const sets = createSets({ directory, pool });
  return {
    overlap: createOverlap({ manifest, damagedRuns, sets }),
    countDistinct: createCountDistinct({ manifest, damagedRuns, sets }),
    refreshUniverse: createUniverseFold({ directory, ...records, sets, reserve }),
    compact: createCompaction({ directory, records, sets, reserve }),
    sweep: createSweep({ directory, ...records, trash }),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
