import { digestBytes } from '../domain/privacy/standard-id.ts';
import type { Records } from '../records/records.ts';
import { type ArchiveStore, archiveKey } from './archive-store.ts';
import { type DropArchive, type ItemBatch, openDropArchive } from './lists.ts';
import type { Suppressions } from './suppressions.ts';

interface LiftDependencies {
  readonly records: Pick<Records, 'dropCycles'>;
  readonly store: ArchiveStore;
  readonly suppressions: Pick<Suppressions, 'lift'>;
}

/** Withdrawn items that are compared with all archives at once. Each takes about 200 bytes. */
const itemsPerPass = 200_000;

/**
 * Lifts the suppressions that an archive withdraws, except those that another item of DROP, which is not
 * withdrawn, asks for. Reads all archives. Returns how many digests were lifted; repeating it lifts the
 * same ones again.
 */
export async function liftRemoved(
  { records, store, suppressions }: LiftDependencies,
  archive: DropArchive,
  signal: AbortSignal,
): Promise<number> {
  let lifted = 0;
  let holders = new Map<string, Set<string>>();
  for await (const batch of archive.removedItems()) {
    for (const { digest } of itemsOf(batch)) holders.set(digest, new Set());
    if (holders.size >= itemsPerPass) await liftPass();
  }
  if (holders.size > 0) await liftPass();
  return lifted;

  async function liftPass(): Promise<void> {
    const archives: DropArchive[] = [];
    for (const { folder } of await records.dropCycles.suppressed()) {
      archives.push(await openDropArchive(await store.open(archiveKey(folder))));
    }
    for (const each of archives) {
      signal.throwIfAborted();
      for await (const batch of each.items()) {
        for (const { digest, id } of itemsOf(batch)) holders.get(digest)?.add(id);
      }
    }
    for (const each of archives) {
      for await (const batch of each.removedItems()) {
        for (const { digest, id } of itemsOf(batch)) holders.get(digest)?.delete(id);
      }
    }
    const free = [...holders].filter(([, ids]) => ids.size === 0).map(([digest]) => digest);
    holders = new Map();
    if (free.length === 0) return;
    await suppressions.lift(() => inBatch(free), signal);
    lifted += free.length;
  }
}

/** Digests as text, because bytes cannot be compared as keys. */
function* itemsOf({ ids, digests }: ItemBatch): Generator<{ id: string; digest: string }> {
  const bytes = Buffer.from(digests.buffer, digests.byteOffset, digests.length);
  for (const [n, id] of ids.entries()) {
    yield { id, digest: bytes.toString('latin1', n * digestBytes, (n + 1) * digestBytes) };
  }
}

async function* inBatch(digests: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(digests.join(''), 'latin1');
}
