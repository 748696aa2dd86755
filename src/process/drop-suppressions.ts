import { digestBytes } from '../domain/privacy/standard-id.ts';
import type { Suppressions } from '../drop/suppressions.ts';
import type { SuppressionChange } from '../jobs/privacy/change-suppression.ts';
import { type SuppressDependencies, suppress } from '../jobs/privacy/suppress.ts';
import type { Records } from '../records/records.ts';
import { inParts, matchesIn, wordsOf } from './drop-matches.ts';

/** The suppressed devices of the service, as DROP needs them. */
export function createDropSuppressions(deps: SuppressDependencies): Suppressions {
  const { records, warehouse } = deps;
  const state = () => records.suppression.state();

  /** One change at a time is in the journal and not yet in the database. */
  async function change(
    changes: () => AsyncIterable<SuppressionChange>,
    signal: AbortSignal,
  ): Promise<void> {
    const work = (locked: AbortSignal) => suppress(deps, changes, locked);
    await records.exclusively('privacy requests', work, signal);
  }

  return {
    async suppress(digests, signal) {
      async function* added() {
        for await (const batch of digests())
          yield { set: 'digests' as const, words: wordsOf(batch) };
      }
      await change(added, signal);
      return (await state()).digests.version;
    },

    isMatched: async (version) => (await state()).resolvedVersion >= version,

    async *readMatches(signal) {
      const { matchedSegmentId: segmentId } = await state();
      for await (const part of inParts(warehouse.read({ segmentId }, signal))) {
        yield matchesIn(part);
      }
    },

    foundVersion: async () => (await state()).plain.version,

    isRemoved: async (foundVersion) => (await state()).appliedVersion >= foundVersion,

    async isGone(removedAt) {
      const { privacyRequests, erasedRows } = records;
      return (await privacyRequests.areGone(removedAt)) && (await erasedRows.remove());
    },

    async lift(digests, signal) {
      async function* lifted() {
        for await (const batch of digests()) {
          const words = wordsOf(await onlyFromDrop(records, batch));
          yield { set: 'digests' as const, words, isLifted: true };
        }
      }
      await change(lifted, signal);
    },
  };
}

/** Leaves out the digests that a privacy request asked to suppress. */
async function onlyFromDrop(
  { privacyRequests }: Pick<Records, 'privacyRequests'>,
  batch: Uint8Array,
): Promise<Uint8Array> {
  const digests = split(batch);
  const kept = await privacyRequests.suppressing(digests);
  const keys = new Set(kept.map((digest) => digest.toString('hex')));
  return Buffer.concat(digests.filter((digest) => !keys.has(digest.toString('hex'))));
}

function split(batch: Uint8Array): Buffer[] {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.length);
  return Array.from({ length: bytes.length / digestBytes }, (_, n) =>
    bytes.subarray(n * digestBytes, (n + 1) * digestBytes),
  );
}
