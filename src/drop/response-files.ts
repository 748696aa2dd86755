import type { NewDropFile } from '../records/privacy/drop-files.ts';
import type { ArchiveStore } from './archive-store.ts';

/** The statuses that the service reports to DROP. */
const reportStatus = { deleted: 3, notFound: 5 } as const;

const header = 'Id,Status\n';

/** A file that is written, without its name. */
export type WrittenFile = Omit<NewDropFile, 'name'>;

interface WriterOptions {
  readonly store: ArchiveStore;
  /** The key of the nth file. */
  keyOf(number: number): string;
  /** A file is not longer than that, unless one row is. */
  readonly mostBytes: number;
}

/** Writes rows into CSV files of limited size. A file is in memory until it is stored. */
interface ResponseWriter {
  add(id: string, isDeleted: boolean): Promise<void>;
  /** The files since the last call. Without a row there is none. */
  finish(): Promise<WrittenFile[]>;
}

export function createResponseWriter({ store, keyOf, mostBytes }: WriterOptions): ResponseWriter {
  let number = 0;
  let files: WrittenFile[] = [];
  let rows: string[] = [];
  let bytes = header.length;
  let deletedRows = 0;

  async function storeFile(): Promise<void> {
    number += 1;
    const objectKey = keyOf(number);
    const stored = await store.put(objectKey, [Buffer.from(header + rows.join(''))]);
    files.push({ ...stored, objectKey, deletedRows, notFoundRows: rows.length - deletedRows });
    rows = [];
    bytes = header.length;
    deletedRows = 0;
  }

  return {
    async add(id, isDeleted) {
      const row = `${id},${isDeleted ? reportStatus.deleted : reportStatus.notFound}\n`;
      if (rows.length > 0 && bytes + row.length > mostBytes) await storeFile();
      rows.push(row);
      bytes += row.length;
      if (isDeleted) deletedRows += 1;
    },

    async finish() {
      if (rows.length > 0) await storeFile();
      const finished = files;
      files = [];
      return finished;
    },
  };
}
