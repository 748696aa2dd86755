import { mustStartOver } from '../worker/job-handler.ts';
import type { SuppressionDependencies } from '../worker/suppression.ts';
import { digestsOf, rowsAddingTo, rowsRemoving } from './suppression-rows.ts';

/** Devices or digests, as packed words, that join the suppressed sets or leave them. */
export interface SuppressionChange {
  readonly set: 'devices' | 'digests';
  readonly words: Uint32Array;
  /** The suppression is lifted. */
  readonly isLifted?: boolean;
  /** The devices are stored, so their digests count as matched. */
  readonly isFound?: boolean;
}

/**
 * Changes the suppressed sets. When it returns, the change is durable, and no load can commit a device
 * that is suppressed. `changes` is called again if it must start over. `beforeCommit` is called before the
 * first attempt to commit, and not at all if there is nothing to change.
 */
export async function changeSuppression(
  { records, warehouse }: SuppressionDependencies,
  changes: () => Iterable<SuppressionChange> | AsyncIterable<SuppressionChange>,
  signal: AbortSignal,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { plain, digests, matchedSegmentId } = await records.suppression.state();
    const seen = { plain: plain.version, digests: digests.version };
    const segmentIds = [plain.segmentId, digests.segmentId, matchedSegmentId];
    await using load = warehouse.beginLoad({ jobId: null, attempt: null });
    let isResolved = true;
    for await (const { set, words, isLifted = false, isFound = false } of changes()) {
      if (words.length === 0) continue;
      const digestWords = set === 'digests' ? words : digestsOf(words);
      if (isLifted) {
        if (set === 'devices') await load.add(rowsRemoving(words));
        await load.add(rowsRemoving(digestWords));
        continue;
      }
      if (set === 'devices') await load.add(rowsAddingTo(0, words));
      else isResolved = false;
      await load.add(rowsAddingTo(1, digestWords));
      if (isFound) await load.add(rowsAddingTo(2, digestWords));
    }
    const { change } = await load.stage({ segmentIds, everyRow: null, mode: 'merge' }, signal);
    if (change.add.length + change.drop.length === 0) return;
    if (isFirst) await beforeCommit();
    try {
      return await records.inTransaction(async (tx) => {
        await tx.refuseNewerSchema();
        await tx.suppression.hold(seen, { adds: true });
        await tx.manifest.apply(change);
        if (isResolved) await tx.suppression.countAsResolved(seen);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!mustStartOver(error)) throw error;
    }
  }
}
