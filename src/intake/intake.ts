import { createThreadPool } from '../threads/thread-pool.ts';
import { findLayout } from './read/find-layout.ts';
import { createInflaters } from './read/inflaters.ts';
import { createReadAhead } from './read/read-ahead.ts';
import {
  type FileOptions,
  type OpenedFile,
  openFile,
  type ScannerTasks,
} from './read/read-file.ts';
import { createSharedBuffers } from './read/shared-buffers.ts';
import { buildKeyTable, type KeyTable } from './scan/key-table.ts';
import type { ColumnLayout, RowKind } from './scan/scan-task.ts';

export { createFileTally, type RejectedRow } from './read/file-tally.ts';
export { type ByteRange, linesOfRange } from './read/lines-of-range.ts';
export type { FileOptions, FileReading, FileReceiver, OpenedFile } from './read/read-file.ts';
export type { ColumnLayout } from './scan/scan-task.ts';

interface MarketplaceFileOptions extends FileOptions {
  /** Segment numbers by key, compared by exact characters. */
  readonly segmentNumbers: ReadonlyMap<string, number>;
  /** In mode `replace`, a row that removes a device fails the file. */
  readonly mode: 'merge' | 'replace';
}

/**
 * Turns files into rows. Its threads serve any number of files at once. A source may reuse the memory
 * of a chunk once the second chunk after it is requested.
 *
 * A file that is open but not read yet is read ahead in a bounded memory, which all files share.
 */
export interface Intake extends AsyncDisposable {
  /** How many files of a job are worth opening at once. */
  readonly filesAtOnce: number;
  /** The memory that files took before their turn. */
  aheadBytes(): number;
  /** The columns of an uncompressed file. Null if it cannot be read in parts. */
  layoutOf(source: AsyncIterable<Uint8Array>, kind: RowKind['kind']): Promise<ColumnLayout | null>;
  openAudienceFile(source: AsyncIterable<Uint8Array>, options: FileOptions): OpenedFile;
  openMarketplaceFile(
    source: AsyncIterable<Uint8Array>,
    options: MarketplaceFileOptions,
  ): OpenedFile;
}

// One gzip file used up to 41 MiB, and the rows of a file wait in up to 32 MiB. If less is kept, buffers
// are dropped and allocated again all the time: with 24 MiB, six loads allocated 778 MiB of buffers and
// used 330 MB more memory.
const keptBytes = 80 << 20;

/** More than one per thread, because an object may come slower than a thread reads. */
const leastFilesAtOnce = 8;

/**
 * Not smaller, because the messages for a chunk cost at least 0.2 ms over all threads. With one more
 * line it fits into a buffer of 2 MiB, and its rows into one of 1 MiB.
 */
const defaultChunkBytes = (2 << 20) - (128 << 10);

export interface IntakeOptions {
  readonly threads: number;
  /** How much of a file a thread takes at a time. */
  readonly chunkBytes?: number;
  /** Memory for files that are read before their turn. */
  readonly mostAheadBytes?: number;
}

const defaultAheadBytes = 48 << 20;

export function createIntake({
  threads,
  chunkBytes = defaultChunkBytes,
  mostAheadBytes = defaultAheadBytes,
}: IntakeOptions): Intake {
  const program = new URL('./scan/scanner-thread.ts', import.meta.url);
  const scanners = createThreadPool<ScannerTasks>(program, threads);
  const smallProgram = new URL('./scan/small-file-thread.ts', import.meta.url);
  const smallScanner = createThreadPool<ScannerTasks>(smallProgram, 1);
  const buffers = createSharedBuffers(keptBytes + mostAheadBytes);
  const ahead = createReadAhead(buffers, mostAheadBytes);
  const inflaters = createInflaters(threads);
  const deps = { inflaters, scanners, smallScanner, ahead, chunkBytes };
  // The files of an import share one map and therefore one table.
  const tables = new WeakMap<ReadonlyMap<string, number>, KeyTable>();

  function tableOf(segmentNumbers: ReadonlyMap<string, number>): KeyTable {
    const known = tables.get(segmentNumbers);
    if (known) return known;
    const table = buildKeyTable(segmentNumbers);
    tables.set(segmentNumbers, table);
    return table;
  }

  return {
    filesAtOnce: Math.max(leastFilesAtOnce, threads),
    aheadBytes: () => ahead.heldBytes,
    layoutOf: findLayout,
    openAudienceFile: (source, options) => openFile(source, options, { kind: 'audience' }, deps),
    openMarketplaceFile(source, options) {
      const keys = tableOf(options.segmentNumbers);
      const rowKind = { kind: 'marketplace', keys, mode: options.mode } as const;
      return openFile(source, options, rowKind, deps);
    },
    async [Symbol.asyncDispose]() {
      const pools = [inflaters, scanners, smallScanner];
      await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}
