import type { Logger } from 'pino';
import { digestBytes } from '../../domain/privacy/standard-id.ts';
import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import type { SuppressionDependencies } from '../worker/suppression.ts';
import { changeSuppression, type SuppressionChange } from './change-suppression.ts';
import type { JournalEntry, JournalPart, SuppressionJournal } from './journal.ts';

interface JournalDependencies extends SuppressionDependencies {
  readonly journal: SuppressionJournal;
  readonly log: Logger;
}

const everyMs = 10 * 60_000;

/** A part of the journal that the database has applied up to `from` only. */
interface UnappliedPart extends JournalPart {
  readonly from: number;
}

/**
 * Suppresses again what the journal has and the database does not have: the database was restored from
 * an older backup. Digests that were lifted at the end of the journal are left out.
 */
export function applyJournal(deps: JournalDependencies): MaintenanceTask {
  const { records, warehouse, journal, log } = deps;
  return {
    name: 'suppression journal',
    everyMs,
    async run(shutdownSignal) {
      if ((await unapplied()).length === 0) return {};
      // Not while requests are carried out, which write to the journal before the database.
      const applied = await records.unlessLocked('privacy requests', apply, shutdownSignal);
      return applied ?? {};
    },
  };

  async function unapplied(): Promise<UnappliedPart[]> {
    const applied = await records.suppressionJournals.applied();
    const parts: UnappliedPart[] = [];
    for await (const part of journal.parts()) {
      const from = applied.get(part.journalId) ?? 0;
      if (part.bytes > from) parts.push({ ...part, from });
    }
    return parts;
  }

  async function apply(signal: AbortSignal): Promise<Record<string, number>> {
    const parts = await unapplied();
    const { lifted, damagedLines } = await findLifted(parts);
    if (damagedLines > 0) {
      log.warn({ damaged_lines: damagedLines }, 'suppressions file is damaged');
    }
    let digests = 0;
    async function* missing(): AsyncGenerator<SuppressionChange> {
      digests = 0;
      for await (const entry of entriesOf(parts, () => {})) {
        if (entry.isLifted) continue;
        const words = wordsWithout(entry.digests, lifted);
        digests += words.length / wordsPerDevice;
        yield { set: 'digests', words };
      }
    }
    await changeSuppression({ records, warehouse }, missing, signal);
    for (const part of parts) await records.suppressionJournals.record(part);
    return { digests };
  }

  async function* entriesOf(
    parts: readonly UnappliedPart[],
    onDamaged: () => void,
  ): AsyncGenerator<JournalEntry> {
    for (const part of parts) yield* journal.read(part, part.from, onDamaged);
  }

  async function findLifted(parts: readonly UnappliedPart[]) {
    const lifted = new Set<string>();
    let damagedLines = 0;
    for await (const { digests, isLifted } of entriesOf(parts, () => damagedLines++)) {
      if (!isLifted && lifted.size === 0) continue;
      for (const digest of hexesOf(digests)) {
        if (isLifted) lifted.add(digest);
        else lifted.delete(digest);
      }
    }
    return { lifted, damagedLines };
  }
}

function* hexesOf(digests: Uint8Array): Generator<string> {
  const bytes = Buffer.from(digests.buffer, digests.byteOffset, digests.byteLength);
  for (let at = 0; at < bytes.length; at += digestBytes) {
    yield bytes.toString('hex', at, at + digestBytes);
  }
}

/** Packed words of the digests that were not lifted. */
function wordsWithout(digests: Uint8Array, lifted: ReadonlySet<string>): Uint32Array {
  const bytes = Buffer.from(digests.buffer, digests.byteOffset, digests.byteLength);
  const words: number[] = [];
  for (let at = 0; at < bytes.length; at += digestBytes) {
    if (lifted.size > 0 && lifted.has(bytes.toString('hex', at, at + digestBytes))) continue;
    for (let word = 0; word < wordsPerDevice; word++) words.push(bytes.readUInt32BE(at + word * 4));
  }
  return Uint32Array.from(words);
}
