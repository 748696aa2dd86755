import { createThreadPool } from '../threads/thread-pool.ts';
import type { LabelNumber } from './read/file-tally.ts';
import { createInflaters } from './read/inflaters.ts';
import {
  type FileOptions,
  type FileReading,
  type OnBatch,
  readFile,
  type ScannerTasks,
} from './read/read-file.ts';
import { createSharedBuffers } from './read/shared-buffers.ts';
import { buildKeyTable, type KeyTable } from './scan/key-table.ts';

export type { RejectedRow } from './read/file-tally.ts';
export type { FileReading } from './read/read-file.ts';

interface AudienceFileOptions extends FileOptions {
  /** Called in order of the labels' first occurrence. Undefined leaves a label out. */
  readonly labelNumber: LabelNumber;
}

interface MarketplaceFileOptions extends FileOptions {
  /** Segment numbers by key, compared by exact characters. */
  readonly segmentNumbers: ReadonlyMap<string, number>;
  /** In mode `replace`, a row that removes a device fails the file. */
  readonly mode: 'merge' | 'replace';
}

/**
 * Turns files into rows. Its threads serve any number of files at once. A source may reuse the memory
 * of a chunk once the second chunk after it is requested.
 */
export interface Intake extends AsyncDisposable {
  readAudienceFile(
    source: AsyncIterable<Uint8Array>,
    options: AudienceFileOptions,
    onBatch: OnBatch,
  ): Promise<FileReading>;
  readMarketplaceFile(
    source: AsyncIterable<Uint8Array>,
    options: MarketplaceFileOptions,
    onBatch: OnBatch,
  ): Promise<FileReading>;
}

// One gzip file used up to 41 MiB. If less is kept, buffers are dropped and allocated again all the
// time: with 24 MiB, six loads allocated 778 MiB of buffers and used 330 MB more memory.
const keptBytes = 64 << 20;

/**
 * Not smaller, because the messages for a chunk cost at least 0.2 ms over all threads. With one more
 * line it fits into a buffer of 2 MiB, and its rows into one of 1 MiB.
 */
const defaultChunkBytes = (2 << 20) - (128 << 10);

export interface IntakeOptions {
  readonly threads: number;
  /** How much of a file a thread takes at a time. */
  readonly chunkBytes?: number;
}

export function createIntake({ threads, chunkBytes = defaultChunkBytes }: IntakeOptions): Intake {
  const program = new URL('./scan/scanner-thread.ts', import.meta.url);
  const scanners = createThreadPool<ScannerTasks>(program, threads);
  const smallProgram = new URL('./scan/small-file-thread.ts', import.meta.url);
  const smallScanner = createThreadPool<ScannerTasks>(smallProgram, 1);
  const buffers = createSharedBuffers(keptBytes);
  const inflaters = createInflaters(threads, buffers);
  const deps = { inflaters, scanners, smallScanner, buffers, chunkBytes };
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
    readAudienceFile(source, options, onBatch) {
      const { labelNumber } = options;
      const rows = { rowKind: { kind: 'audience' }, labelNumber } as const;
      return readFile(source, options, rows, onBatch, deps);
    },
    readMarketplaceFile(source, options, onBatch) {
      const keys = tableOf(options.segmentNumbers);
      const rowKind = { kind: 'marketplace', keys, mode: options.mode } as const;
      const rows = { rowKind, labelNumber: () => undefined };
      return readFile(source, options, rows, onBatch, deps);
    },
    async [Symbol.asyncDispose]() {
      const pools = [inflaters, scanners, smallScanner];
      await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}
