import { messageOf } from '../domain/errors.ts';
import type { DropKind } from '../records/database/schema.ts';
import type { DropCycle } from '../records/privacy/drop-cycles.ts';
import type { DropFile } from '../records/privacy/drop-files.ts';
import type { Records } from '../records/records.ts';
import { ArchiveFault } from './archive-fault.ts';
import { type ArchiveStore, archiveKey, newAttempt, ObjectLost } from './archive-store.ts';
import { bitmapOf } from './bitmap.ts';
import { formatFileName, parseFileName } from './file-names.ts';
import { openDropArchive } from './lists.ts';
import { findMatchedRows } from './matched-rows.ts';
import { createResponseWriter } from './response-files.ts';
import type { Suppressions } from './suppressions.ts';
import { repeatedMatches } from './write-response.ts';

interface AmendDependencies {
  readonly records: Pick<Records, 'dropCycles' | 'dropFiles'>;
  readonly store: ArchiveStore;
  readonly suppressions: Suppressions;
  readonly mostBytes: number;
  onProblem(problem: string): void;
}

/** The numbers of the rows that need no amendment, beside the files of the batch that settled them. */
export function settledKey(attempt: string): string {
  return `${attempt}settled.bits`;
}

/**
 * Prepares amendments of complete cycles: items that were not found, and of which a stored device was found
 * later. They are held until that device is deleted. A cycle whose objects are lost keeps its problem, and
 * the others go on. Returns how many items.
 */
export async function prepareAmendments(
  { records, store, suppressions, mostBytes, onProblem }: AmendDependencies,
  kind: DropKind,
  signal: AbortSignal,
): Promise<number> {
  const cycles = (await records.dropCycles.accepted()).filter((cycle) => cycle.kind === kind);
  let items = 0;
  for (const cycle of cycles) {
    signal.throwIfAborted();
    const files = await records.dropFiles.ofCycle(cycle.cycleId);
    // Nothing was sent, or the last amendment is still to be accepted.
    if (files.length === 0 || files.some(({ state }) => state !== 'accepted')) continue;
    items += await amendReadable(cycle, files);
  }
  return items;

  async function amendReadable(cycle: DropCycle, files: readonly DropFile[]): Promise<number> {
    const { cycleId } = cycle;
    const cannotBeAmended = `Cycle ${cycleId} cannot be amended.`;
    try {
      const amended = await amendCycle(cycle, files);
      if (cycle.problem?.startsWith(cannotBeAmended)) {
        await records.dropCycles.recordProblem(cycleId, null);
      }
      return amended;
    } catch (error) {
      if (!(error instanceof ObjectLost || error instanceof ArchiveFault)) throw error;
      const problem = `${cannotBeAmended} ${messageOf(error)}`;
      await records.dropCycles.recordProblem(cycleId, problem);
      onProblem(problem);
      return 0;
    }
  }

  async function amendCycle(
    { cycleId, folder, itemRows, repeatedRows }: DropCycle,
    before: readonly DropFile[],
  ): Promise<number> {
    const last = before.at(-1)!;
    const batch = last.batch + 1;
    const attempt = newAttempt(folder, `amendment-${batch}`);
    const settled = bitmapOf(await store.read(settledKey(dirname(last.objectKey))));
    const archive = await openDropArchive(await store.open(archiveKey(folder)));
    const matched = await findMatchedRows(archive, itemRows, suppressions.readMatches(signal));
    // Read after the matches, so that it has the devices of all of them.
    const foundVersion = await suppressions.foundVersion();
    // An item with several hashes is deleted if one of them matches, and is reported once.
    const repeated =
      repeatedRows > 0 ? await repeatedMatches(archive, itemRows, matched) : new Map();
    const amended = new Set<string>();
    const keyOf = (number: number) => `${attempt}${number}.csv`;
    const writer = createResponseWriter({ store, keyOf, mostBytes });
    for await (const { first, ids } of archive.items()) {
      for (const [n, id] of ids.entries()) {
        const matchedAnywhere = repeated.get(id);
        const isDeleted = matchedAnywhere ?? matched.has(first + n);
        if (!isDeleted || settled.has(first + n)) continue;
        settled.add(first + n);
        if (amended.has(id)) continue;
        if (matchedAnywhere !== undefined) amended.add(id);
        await writer.add(id, true);
      }
    }
    const written = await writer.finish();
    if (written.length === 0) return 0;
    await store.put(settledKey(attempt), [settled.bytes]);
    // Names that were uploaded for a download are refused, also in an amendment.
    const list = parseFileName(archive.own[0]!.name)!;
    const taken = new Set(before.map(({ name }) => name));
    let number = 0;
    const files = written.map((file) => {
      let name: string;
      do {
        number += 1;
        name = formatFileName({ ...list, suffix: `a${batch}x${number}` });
      } while (taken.has(name));
      return { ...file, name };
    });
    await records.dropFiles.addAmendment(cycleId, batch, files, foundVersion);
    return files.reduce((sum, { deletedRows }) => sum + deletedRows, 0);
  }
}

/** Makes amendments ready whose devices are deleted, and of which no file has the bytes any more. */
export async function releaseAmendments({
  records: { dropFiles },
  suppressions,
}: Pick<AmendDependencies, 'records' | 'suppressions'>): Promise<void> {
  for (const { cycleId, batch, foundVersion, removedAt } of await dropFiles.heldAmendments()) {
    if (removedAt === null) {
      if (await suppressions.isRemoved(foundVersion)) await dropFiles.recordRemoved(cycleId, batch);
    } else if (await suppressions.isGone(removedAt)) await dropFiles.release(cycleId, batch);
  }
}

/** With the slash at its end. */
function dirname(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}
