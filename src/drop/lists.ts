import { createHash } from 'node:crypto';
import { digestBytes } from '../domain/privacy/standard-id.ts';
import type { DropList } from '../records/database/schema.ts';
import { ArchiveFault } from './archive-fault.ts';
import type { ByteSource } from './byte-source.ts';
import { readCsvRows } from './csv-rows.ts';
import { isHash, writeDigest } from './digest-of-hash.ts';
import { ownList, parseFileName, removedList } from './file-names.ts';
import { readZipEntry } from './zip.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

/** A file of an archive. */
interface ListFile {
  readonly name: string;
  readonly list: string | null;
  readonly entry: ZipEntry;
}

/** Rows of a list that have an id and a hash. */
export interface ItemBatch {
  readonly file: ListFile;
  /** The number of its first row among all such rows of the archive. */
  readonly first: number;
  readonly ids: readonly string[];
  /** One for each id. */
  readonly digests: Uint8Array;
}

/** An archive of DROP. Each reading begins anew, and yields the same. */
export interface DropArchive {
  /** The files of the list that this service processes. */
  readonly own: readonly ListFile[];
  /** The items of the list that this service processes. */
  items(): AsyncGenerator<ItemBatch>;
  /** The items of that list that were withdrawn. */
  removedItems(): AsyncGenerator<ItemBatch>;
  /** Reads every file, and describes it. */
  describe(): Promise<DropList[]>;
}

export async function openDropArchive(source: ByteSource): Promise<DropArchive> {
  const files = (await readZipDirectory(source)).map((entry) => ({
    name: entry.name,
    list: parseFileName(entry.name)?.list ?? null,
    entry,
  }));
  const own = files.filter(({ list }) => list === ownList);
  const removed = files.filter(({ list }) => list === removedList);

  return {
    own,
    items: () => readItems(own, ['ID', 'Hash']),
    removedItems: () => readItems(removed, ['ID', 'Hash', 'ListType']),

    async describe() {
      const described: DropList[] = [];
      for (const file of files) described.push(await describeFile(file));
      return described;
    },
  };

  async function* readItems(
    from: readonly ListFile[],
    columns: readonly string[],
  ): AsyncGenerator<ItemBatch> {
    let first = 0;
    for (const file of from) {
      const content = readZipEntry(source, file.entry);
      for await (const rows of readCsvRows(file.name, content, columns)) {
        const ids: string[] = [];
        const digests = Buffer.alloc(rows.length * digestBytes);
        for (const row of rows) {
          if (!isItem(row)) continue;
          const [id, hash, list] = row;
          if (list !== undefined && !isOwn(list)) continue;
          writeDigest(hash, digests, ids.length * digestBytes);
          ids.push(id);
        }
        if (ids.length === 0) continue;
        yield { file, first, ids, digests: digests.subarray(0, ids.length * digestBytes) };
        first += ids.length;
      }
    }
  }

  async function describeFile({ name, list, entry }: ListFile): Promise<DropList> {
    const isRefused = list !== ownList && list !== removedList;
    const hash = createHash('sha256');
    let rows = 0;
    let malformedRows = 0;
    async function* hashed() {
      for await (const chunk of readZipEntry(source, entry)) {
        hash.update(chunk);
        yield chunk;
      }
    }
    // The columns of other lists do not matter, but an empty list needs no answer.
    const columns = isRefused ? ['ID'] : list === ownList ? ['ID', 'Hash'] : removedColumns;
    if (list === null) for await (const _ of hashed());
    else {
      for await (const batch of readCsvRows(name, hashed(), columns)) {
        rows += batch.length;
        if (isRefused) continue;
        for (const row of batch) if (!isItem(row)) malformedRows += 1;
      }
    }
    const sha256 = hash.digest('hex');
    return { file: name, list, isRefused, bytes: entry.bytes, sha256, rows, malformedRows };
  }
}

const removedColumns = ['ID', 'Hash', 'ListType'];

function isOwn(list: string): boolean {
  return list.toLowerCase() === ownList.toLowerCase();
}

/** Ids are opaque, but must not need quotes in the response. */
const idShape = /^[!#-+\--~]{1,64}$/;

/** An id, a hash, and in some files the name of a list. */
type Item = readonly [id: string, hash: string, ...list: string[]];

function isItem(row: readonly string[] | null): row is Item {
  const [id = '', hash = ''] = row ?? [];
  return idShape.test(id) && isHash(hash);
}

/** Refuses an archive of which nothing can be answered, because its form must have changed. */
export function refuseUnreadableLists(lists: readonly DropList[]): void {
  for (const { file, list, rows, malformedRows } of lists) {
    if (list !== ownList || rows === 0 || malformedRows < rows) continue;
    throw new ArchiveFault(`No row of ${file} has an id and a hash as DROP describes them`);
  }
}
