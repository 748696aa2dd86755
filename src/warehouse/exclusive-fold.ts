import type { UniverseRecord } from '../records/warehouse/universe.ts';
import type { FoldedUniverse } from './port.ts';
import { createSharedWork } from './shared-work.ts';

type Fold = (signal: AbortSignal) => Promise<FoldedUniverse>;

/** A fold that somebody else's change made void is done over; so often at most. */
const maxAttempts = 10;

/** Folds what is pending, one process at a time, whichever engine does it. */
export function createFoldInTurn(
  universe: Pick<UniverseRecord, 'state' | 'exclusively'>,
  fold: Fold,
  isVoid: (error: unknown) => boolean,
): Fold {
  async function foldAll(signal: AbortSignal): Promise<FoldedUniverse> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        return await fold(signal);
      } catch (error) {
        if (!isVoid(error) || attempt === maxAttempts) throw error;
      }
    }
  }

  const shared = createSharedWork((signal) => universe.exclusively(foldAll, signal));

  return async (signal) => {
    signal.throwIfAborted();
    // What has nothing pending is up to date at this moment, and needs no lock.
    const { segmentId, version, backlog } = await universe.state();
    return backlog === 0 ? { segmentId, version, folded: 0 } : await shared(signal);
  };
}
