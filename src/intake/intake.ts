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
  /** Asked in the order of the labels' first occurrence; undefined leaves a label out. */
  readonly labelNumber: LabelNumber;
}

interface MarketplaceFileOptions extends FileOptions {
  /** The number of the segment that a key stands for, by its exact characters. */
  readonly segmentNumbers: ReadonlyMap<string, number>;
  /** A row that removes a device fails a file that replaces. */
  readonly mode: 'merge' | 'replace';
}

/**
 * Turns files into rows, with threads of its own that serve any number of files at once. A chunk of
 * a source is done with when the one after the next is asked for: its memory may be used again then.
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

// One gzip file had 41 MiB in use. With less kept than is in use at times, buffers are dropped and
// made again all the time: with 24 MiB, six loads made 778 MiB of them and took 330 MB more memory.
const keptBytes = 64 << 20;

/**
 * What a chunk is told about and answered takes 0.2 ms and more of all threads together, hence not
 * smaller; with a line more it fits into 2 MiB, and its rows into 1 MiB, which is how buffers come.
 */
const usualChunkBytes = (2 << 20) - (128 << 10);

export interface IntakeOptions {
  readonly threads: number;
  /** How much of a file a thread takes at a time. */
  readonly chunkBytes?: number;
}

export function createIntake({ threads, chunkBytes = usualChunkBytes }: IntakeOptions): Intake {
  const program = new URL('./scan/scanner-thread.ts', import.meta.url);
  const scanners = createThreadPool<ScannerTasks>(program, threads);
  const buffers = createSharedBuffers(keptBytes);
  const inflaters = createInflaters(threads, buffers);
  const deps = { inflaters, scanners, buffers, chunkBytes };
  // The files of an import share their map, and with it the table.
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
      await Promise.all([inflaters, scanners].map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}
