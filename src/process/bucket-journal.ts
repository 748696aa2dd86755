import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { linesOf, parseLine } from '../data-dir/suppression-lines.ts';
import type { JournalEntry, SuppressionJournal } from '../jobs/privacy/journal.ts';
import type { ObjectStore } from '../objects/port.ts';

/** No partner's prefix begins like this. */
const prefix = 'suppressions/';

/**
 * The journal of suppressions in the shared bucket, for processes whose data dirs may be lost. Each
 * change is an object of its own; their names sort by time.
 */
export function createBucketJournal(
  objects: Pick<ObjectStore, 'put' | 'stat' | 'open' | 'uploaded'>,
): SuppressionJournal {
  return {
    async append(entries) {
      const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
      const key = `${prefix}${time}-${randomBytes(4).toString('hex')}`;
      const { size } = await objects.put(key, contentOf(entries));
      return { journalId: key, bytes: size };
    },

    async *parts() {
      for await (const page of objects.uploaded(prefix)) {
        for (const { key, size } of page) yield { journalId: key, bytes: size };
      }
    },

    async *read({ journalId }, _from, onDamaged) {
      const version = await objects.stat(journalId);
      if (!version) return;
      const input = Readable.from(copied(objects.open(version, 0)), { objectMode: false });
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        const entry = parseLine(line);
        if (entry) yield entry;
        else onDamaged();
      }
    },
  };
}

async function* contentOf(
  entries: Iterable<JournalEntry> | AsyncIterable<JournalEntry>,
): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    for (const line of linesOf(entry)) yield Buffer.from(line);
  }
}

/** A store may reuse the memory of a chunk. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
