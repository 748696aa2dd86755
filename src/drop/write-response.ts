import type { NewDropFile } from '../records/privacy/drop-files.ts';
import type { ArchiveStore } from './archive-store.ts';
import { type Bitmap, createBitmap } from './bitmap.ts';
import { type DropFileName, formatFileName, parseFileName } from './file-names.ts';
import type { DropArchive } from './lists.ts';
import { findRepeatedIds } from './repeated-ids.ts';
import { createResponseWriter, type WrittenFile } from './response-files.ts';

interface WrittenResponse {
  readonly files: readonly NewDropFile[];
  readonly repeatedRows: number;
  /** The numbers of the rows that need no amendment, because their items are reported as deleted. */
  readonly settled: Bitmap;
}

interface ResponseOptions {
  readonly archive: DropArchive;
  readonly itemRows: number;
  /** The numbers of the rows whose devices are deleted. */
  readonly matched: Bitmap;
  readonly store: ArchiveStore;
  /** Where the files go. Ends in a slash. */
  readonly folder: string;
  readonly mostBytes: number;
}

/** Answers every item of an archive once. Call it when everything that matched is deleted. */
export async function writeResponse(options: ResponseOptions): Promise<WrittenResponse> {
  const { archive, itemRows, matched, store, folder, mostBytes } = options;
  const repeated = await repeatedMatches(archive, itemRows, matched);
  const answered = new Set<string>();
  const settled = createBitmap(itemRows);
  const keyOf = (number: number) => `${folder}${number}.csv`;
  const writer = createResponseWriter({ store, keyOf, mostBytes });
  const byList = new Map<string, WrittenFile[]>();
  let current: string | null = null;
  let repeatedRows = 0;

  async function finishList(): Promise<void> {
    if (current !== null) byList.set(current, await writer.finish());
  }

  for await (const { file, first, ids } of archive.items()) {
    if (file.name !== current) {
      await finishList();
      current = file.name;
    }
    for (const [n, id] of ids.entries()) {
      const matchedAnywhere = repeated.get(id);
      const isDeleted = matchedAnywhere ?? matched.has(first + n);
      if (isDeleted) settled.add(first + n);
      if (answered.has(id)) {
        repeatedRows += 1;
        continue;
      }
      if (matchedAnywhere !== undefined) answered.add(id);
      await writer.add(id, isDeleted);
    }
  }
  await finishList();
  return { files: named(byList), repeatedRows, settled };
}

/** The ids that occur more than once, and whether any of their hashes matched. */
export async function repeatedMatches(
  archive: DropArchive,
  itemRows: number,
  matched: Bitmap,
): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  const repeated = await findRepeatedIds(() => idsOf(archive), itemRows);
  if (repeated.size === 0) return found;
  for await (const { first, ids } of archive.items()) {
    for (const [n, id] of ids.entries()) {
      if (repeated.has(id)) found.set(id, found.get(id) === true || matched.has(first + n));
    }
  }
  return found;
}

async function* idsOf(archive: DropArchive): AsyncGenerator<readonly string[]> {
  for await (const { ids } of archive.items()) yield ids;
}

/** A response has the name of its list. If it is split, each file has a suffix of its own. */
function named(byList: ReadonlyMap<string, readonly WrittenFile[]>): NewDropFile[] {
  const taken = new Set(byList.keys());
  let number = 0;
  function splitName(list: DropFileName): string {
    for (;;) {
      number += 1;
      const name = formatFileName({ ...list, suffix: `r${number}` });
      if (!taken.has(name)) return name;
    }
  }
  return [...byList].flatMap(([name, files]) =>
    files.length === 1
      ? [{ ...files[0]!, name }]
      : files.map((file) => ({ ...file, name: splitName(parseFileName(name)!) })),
  );
}
