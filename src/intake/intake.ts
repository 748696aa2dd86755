import { createThreadPool } from '../threads/thread-pool.ts';
import type { LabelNumber } from './file-tally.ts';
import { createInflaters } from './inflaters.ts';
import { buildKeyTable, type KeyTable } from './key-table.ts';
import {
  type FileOptions,
  type FileReading,
  type OnBatch,
  readFile,
  type ScannerTasks,
} from './read-file.ts';
import { createSharedBuffers } from './shared-buffers.ts';

export type { RejectedRow } from './file-tally.ts';
export type { FileReading } from './read-file.ts';

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

/** Turns files into rows, with threads of its own that serve any number of files at once. */
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

// Enough for four files at once, each with a few chunks under way.
const keptBytes = 24 << 20;

export interface IntakeOptions {
  readonly threads: number;
  /** How much of a file a thread takes at a time. */
  readonly chunkBytes?: number;
}

export function createIntake({ threads, chunkBytes = 1 << 20 }: IntakeOptions): Intake {
  const program = new URL('./scanner-thread.ts', import.meta.url);
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
