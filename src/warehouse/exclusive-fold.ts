import type { UniverseRecord } from '../records/warehouse/universe.ts';
import type { FoldedUniverse } from './port.ts';
import { retry } from './retry.ts';
import { createSharedWork } from './shared-work.ts';

type Fold = (signal: AbortSignal) => Promise<FoldedUniverse>;

/** A fold that conflicts with another change starts over, at most this many times. */
const maxAttempts = 10;

/** Folds pending changes into the universe, in one process at a time. Both engines use it. */
export function createExclusiveFold(
  universe: Pick<UniverseRecord, 'state' | 'exclusively'>,
  fold: Fold,
  isConflict: (error: unknown) => boolean,
): Fold {
  const foldAll = (signal: AbortSignal) =>
    retry(maxAttempts, isConflict, () => {
      signal.throwIfAborted();
      return fold(signal);
    });
  const shared = createSharedWork((signal) => universe.exclusively(foldAll, signal));

  return async (signal) => {
    signal.throwIfAborted();
    // With nothing pending the universe is up to date now, so no lock is needed.
    const { segmentId, version, backlog } = await universe.state();
    return backlog === 0 ? { segmentId, version, folded: 0 } : await shared(signal);
  };
}
