import type { SuppressionDependencies } from '../worker/suppression.ts';
import { changeSuppression, type SuppressionChange } from './change-suppression.ts';
import type { JournalEntry, JournalPart, SuppressionJournal } from './journal.ts';
import { digestsOf } from './suppression-rows.ts';

export interface SuppressDependencies extends SuppressionDependencies {
  readonly journal: Pick<SuppressionJournal, 'append'>;
}

type Changes = Iterable<SuppressionChange> | AsyncIterable<SuppressionChange>;

/**
 * Changes the suppressed sets, first in the journal and then in the database. When it returns, both are
 * durable. `changes` is called several times. The journal gets the entries when the warehouse has staged
 * them, so that attempts that fail because it is down do not write them again and again.
 */
export async function suppress(
  deps: SuppressDependencies,
  changes: () => Changes,
  signal: AbortSignal,
): Promise<void> {
  let position: JournalPart | undefined;
  await changeSuppression(deps, changes, signal, async () => {
    position = await deps.journal.append(entriesOf(changes()));
  });
  // After a crash before this, the entries are applied once more, which changes nothing.
  if (position) await deps.records.suppressionJournals.record(position);
}

async function* entriesOf(changes: Changes): AsyncGenerator<JournalEntry> {
  for await (const { set, words, isLifted = false } of changes) {
    yield { digests: bytesOf(set === 'digests' ? words : digestsOf(words)), isLifted };
  }
}

/** The bytes of packed words. */
function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(words.byteLength));
  for (const [i, word] of words.entries()) bytes.setUint32(i * words.BYTES_PER_ELEMENT, word);
  return new Uint8Array(bytes.buffer);
}
