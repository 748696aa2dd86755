import type { RowBatch } from '../../domain/row-batch.ts';
import type { ThreadPool } from '../../threads/thread-pool.ts';
import { outputBytes } from '../scan/chunk-cursor.ts';
import type { ColumnLayout, RowKind, ScannedChunk, ScanTask } from '../scan/scan-task.ts';
import { ContentFault } from './content-fault.ts';
import { type ContentOptions, readContent } from './file-content.ts';
import {
  createFileTally,
  type FileSummary,
  type LabelNumber,
  type TallyOptions,
} from './file-tally.ts';
import type { Inflaters } from './inflaters.ts';
import { cutIntoChunks, type LineChunk } from './line-chunks.ts';
import { prefetch } from './prefetch-source.ts';
import type { SharedBuffers } from './shared-buffers.ts';

export interface FileOptions extends ContentOptions, TallyOptions {
  readonly signal: AbortSignal;
}

/** Receives rows. Awaited only for back-pressure: a batch may be kept and released later. */
export type OnBatch = (batch: RowBatch) => Promise<void>;

export interface FileReading extends FileSummary {
  /** Uncompressed bytes. */
  readonly bytesRead: number;
}

/** The kind of rows in a file, and the numbering of their labels. */
export interface FileRows {
  readonly rowKind: RowKind;
  readonly labelNumber: LabelNumber;
}

export interface ReadingDependencies {
  readonly inflaters: Pick<Inflaters, 'inflate'>;
  readonly scanners: ThreadPool<ScannerTasks>;
  /** Scans small files, which then do not wait for the chunks of large ones. */
  readonly smallScanner: ThreadPool<ScannerTasks>;
  readonly buffers: SharedBuffers;
  readonly chunkBytes: number;
}

export type ScannerTasks = {
  readonly scan: (task: ScanTask) => ScannedChunk;
};

/** How many batches may wait for the receiver while more is read: a few MiB. */
const batchesAhead = 4;

const smallFileBytes = 512 * 1024;

interface ScanUnderWay {
  readonly chunk: LineChunk;
  readonly output: SharedArrayBuffer;
  readonly scanned: Promise<ScannedChunk>;
}

/** Reads one file. Threads scan several chunks at a time; the results are taken in file order. */
export async function readFile(
  bytes: AsyncIterable<Uint8Array>,
  options: FileOptions,
  { rowKind, labelNumber }: FileRows,
  onBatch: OnBatch,
  { inflaters, scanners, smallScanner, buffers, chunkBytes }: ReadingDependencies,
): Promise<FileReading> {
  const { signal } = options;
  const source = prefetch(bytes, signal);
  const tally = createFileTally(options, labelNumber);
  const underWay: ScanUnderWay[] = [];
  const handedOver: Promise<void>[] = [];
  const isSmall =
    options.compressedBytes !== undefined && options.compressedBytes <= smallFileBytes;
  let layout: ColumnLayout | null = null;
  let bytesRead = 0;

  async function* content(): AsyncGenerator<Uint8Array> {
    for await (const piece of readContent(source, options, inflaters)) {
      bytesRead += piece.length;
      yield piece;
    }
  }

  function begin(chunk: LineChunk): void {
    const output = buffers.take(outputBytes(chunk.end - chunk.start, rowKind.kind));
    const keptRejects = tally.rejectsWanted;
    // A small file has one chunk, unless it is compressed.
    const pool = isSmall && chunk.isFileStart ? smallScanner : scanners;
    const scanned = pool.run('scan', { ...chunk, layout, rowKind, output, keptRejects });
    // Awaited later; until then an error must not count as unhandled.
    scanned.catch(() => {});
    underWay.push({ chunk, output, scanned });
  }

  /** Takes the result of the oldest chunk, which is the next one of the file. */
  async function takeNext({ chunk, output, scanned }: ScanUnderWay): Promise<void> {
    const found = await scanned;
    underWay.shift();
    ({ layout } = found);
    const numbering = found.labels && tally.numberLabels(found.labels);
    tally.add(found, chunk.input);
    buffers.giveBack(chunk.input);
    if (found.rows === 0) {
      buffers.giveBack(output);
      return;
    }
    await handOver({
      words: new Uint32Array(output, 0, found.words),
      rows: found.rows,
      numbering,
      release: () => buffers.giveBack(output),
    });
  }

  /** Waits for the receiver only if several batches are waiting. */
  async function handOver(batch: RowBatch): Promise<void> {
    const taken = onBatch(batch);
    // Awaited later, as above.
    taken.catch(() => {});
    handedOver.push(taken);
    if (handedOver.length > batchesAhead) await handedOver.shift();
  }

  /** Takes results until at most `count` scans are under way, or the file has failed. */
  async function takeAllBut(count: number): Promise<void> {
    for (const next of underWay.slice(0, Math.max(underWay.length - count, 0))) {
      if (tally.hasFailed) return;
      await takeNext(next);
    }
  }

  async function readChunks(): Promise<void> {
    for await (const chunk of cutIntoChunks(content(), chunkBytes, buffers)) {
      begin(chunk);
      // The next chunk cannot be scanned before the layout is known.
      await takeAllBut(layout ? scanners.size : 0);
      signal.throwIfAborted();
      if (tally.hasFailed) return;
    }
  }

  try {
    const fault = await readChunks().catch((error: unknown) => {
      if (error instanceof ContentFault) return error;
      throw error;
    });
    await takeAllBut(0);
    await Promise.all(handedOver);
    if (fault && !tally.hasFailed) {
      tally.fail({ code: fault.code, finding: { message: fault.message } });
    }
    return { ...tally.summary(), bytesRead };
  } finally {
    await Promise.allSettled([...handedOver, ...underWay.map(({ scanned }) => scanned)]);
    for (const { chunk, output } of underWay) {
      buffers.giveBack(chunk.input);
      buffers.giveBack(output);
    }
    await source.close();
  }
}
