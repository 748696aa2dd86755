import { limits } from '../../domain/limits.ts';
import type { RowBatch } from '../../domain/row-batch.ts';
import type { ThreadPool } from '../../threads/thread-pool.ts';
import { outputBytes } from '../scan/chunk-cursor.ts';
import type { ColumnLayout, RowKind, ScannedChunk, ScanTask } from '../scan/scan-task.ts';
import { ContentFault } from './content-fault.ts';
import { type ContentOptions, readContent, readPlain } from './file-content.ts';
import {
  createFileTally,
  type FileSummary,
  type FileTally,
  type LabelNumber,
  type LineSums,
  labelSums,
  type RejectedRow,
} from './file-tally.ts';
import type { Inflaters } from './inflaters.ts';
import { cutIntoChunks, type LineChunk } from './line-chunks.ts';
import { type PrefetchedSource, prefetch } from './prefetch-source.ts';
import type { ReadAhead } from './read-ahead.ts';

export interface FileOptions extends ContentOptions {
  /** The file's name in problems. */
  readonly file: string;
  /** The share of rejected rows, from 0 to 1, above which the file fails. */
  readonly rejectLimit: number;
  /** The columns of the file, if the lines to read are not its first ones. They are uncompressed. */
  readonly layout?: ColumnLayout | undefined;
  readonly signal: AbortSignal;
}

/** Receives the content of a file, in its order. */
export interface FileReceiver {
  /** Awaited only for back-pressure: a batch may be kept and released later. */
  onBatch(batch: RowBatch): Promise<void>;
  /** Called for the first 10,000 rejected rows, in order. */
  readonly onReject?: ((reject: RejectedRow) => void) | undefined;
  /** Called with the number of bytes read from the source. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** For rows with labels: called in order of the labels' first occurrence. Undefined leaves a label out. */
  readonly labelNumber?: LabelNumber | undefined;
}

/** A file whose reading has begun. It must be read or disposed. */
export interface OpenedFile extends AsyncDisposable {
  /** Begins the file's turn. Before it, the file is read ahead, but nothing is handed over. */
  read(receiver: FileReceiver): Promise<FileReading>;
}

export interface FileReading extends FileSummary {
  /** Uncompressed bytes. */
  readonly bytesRead: number;
  /** For a file that is read in parts: what this part adds to the sums of the file. */
  readonly sums: LineSums;
}

export interface ReadingDependencies {
  readonly inflaters: Pick<Inflaters, 'inflate'>;
  readonly scanners: ThreadPool<ScannerTasks>;
  /** Scans small files, which then do not wait for the chunks of large ones. */
  readonly smallScanner: ThreadPool<ScannerTasks>;
  readonly ahead: ReadAhead;
  readonly chunkBytes: number;
}

export type ScannerTasks = {
  readonly scan: (task: ScanTask) => ScannedChunk;
};

/** How many batches may wait for the receiver while more is read: a few MiB. */
const batchesAhead = 4;

const smallFileBytes = 512 * 1024;

interface ScanUnderWay {
  readonly output: SharedArrayBuffer;
  readonly scanned: Promise<ScannedChunk>;
  /** Undefined once it was given back. */
  input: SharedArrayBuffer | undefined;
}

/** The file's turn: its receiver, and the sums of what was handed over. */
interface Turn {
  readonly receiver: FileReceiver;
  readonly tally: FileTally;
}

/**
 * Opens one file. Threads scan several chunks at a time. The results are taken in file order, once the
 * file's turn has come. Until then they wait, and reading goes on while there is memory.
 */
export function openFile(
  bytes: AsyncIterable<Uint8Array>,
  options: FileOptions,
  rowKind: RowKind,
  { inflaters, scanners, smallScanner, ahead, chunkBytes }: ReadingDependencies,
): OpenedFile {
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const buffers = ahead.open(signal);
  const {
    promise: turnBegun,
    resolve: beginTurn,
    reject: refuseTurn,
  } = Promise.withResolvers<Turn>();
  const underWay: ScanUnderWay[] = [];
  const handedOver: Promise<void>[] = [];
  const isSmall =
    options.compressedBytes !== undefined && options.compressedBytes <= smallFileBytes;
  let turn: Turn | undefined;
  let layout: ColumnLayout | null = options.layout ?? null;
  let sourceBytes = 0;
  let bytesRead = 0;

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      sourceBytes += chunk.length;
      turn?.receiver.onBytes?.(chunk.length);
      yield chunk;
    }
  }

  async function* content(source: PrefetchedSource): AsyncGenerator<Uint8Array> {
    const pieces = options.layout
      ? readPlain(source)
      : readContent(source, options, inflaters, buffers);
    for await (const piece of pieces) {
      bytesRead += piece.length;
      yield piece;
    }
  }

  async function begin(chunk: LineChunk): Promise<void> {
    const { input } = chunk;
    const output = await buffers
      .take(outputBytes(chunk.end - chunk.start, rowKind.kind))
      .catch((error: unknown) => {
        buffers.giveBack(input);
        throw error;
      });
    const keptRejects = turn ? turn.tally.rejectsWanted : limits.rejectsPerFile.most;
    // A small file has one chunk, unless it is compressed.
    const pool = isSmall && chunk.isFileStart ? smallScanner : scanners;
    const scanned = pool.run('scan', { ...chunk, layout, rowKind, output, keptRejects });
    const scan: ScanUnderWay = { input, output, scanned };
    underWay.push(scan);
    scanned.then(
      (found) => isLight(found) && giveBackInput(scan),
      // Awaited later; until then an error must not count as unhandled.
      () => {},
    );
  }

  function giveBackInput(scan: ScanUnderWay): void {
    if (scan.input) buffers.giveBack(scan.input);
    scan.input = undefined;
  }

  /** Takes the result of the oldest chunk, which is the next one of the file. */
  async function takeNext(scan: ScanUnderWay, { receiver, tally }: Turn): Promise<void> {
    const found = await scan.scanned;
    layout ??= found.layout;
    // A receiver may refuse a label. The memory of a scan that is still under way is then given back.
    const numbering = found.labels && tally.numberLabels(labelSums(found.labels));
    tally.add(found, scan.input);
    underWay.shift();
    giveBackInput(scan);
    const { output } = scan;
    if (found.rows === 0) {
      buffers.giveBack(output);
      return;
    }
    const batch = {
      words: new Uint32Array(output, 0, found.words),
      rows: found.rows,
      numbering,
      release: () => buffers.giveBack(output),
    };
    const taken = receiver.onBatch(batch);
    // Awaited later, as above.
    taken.catch(() => {});
    handedOver.push(taken);
    // Waits for the receiver only if several batches are waiting.
    if (handedOver.length > batchesAhead) await handedOver.shift();
  }

  /** Takes results until at most `count` scans are under way, or the file has failed. */
  async function takeAllBut(count: number, taking: Turn): Promise<void> {
    for (const next of underWay.slice(0, Math.max(underWay.length - count, 0))) {
      if (taking.tally.hasFailed) return;
      await takeNext(next, taking);
    }
  }

  /** Before the file's turn, waits until only the latest scans can be unfinished. */
  async function waitForScans(): Promise<void> {
    const last = underWay.at(layout ? -1 - scanners.size : -1);
    const found = await last?.scanned;
    layout ??= found?.layout ?? null;
  }

  async function readChunks(source: PrefetchedSource): Promise<void> {
    for await (const chunk of cutIntoChunks(content(source), chunkBytes, buffers)) {
      await begin(options.layout ? { ...chunk, isFileStart: false } : chunk);
      // The next chunk cannot be scanned before the layout is known.
      if (turn) await takeAllBut(layout ? scanners.size : 0, turn);
      else await waitForScans();
      signal.throwIfAborted();
      if (turn?.tally.hasFailed) return;
    }
  }

  async function run(): Promise<FileReading> {
    const source = prefetch(counted(), signal);
    try {
      const fault = await readChunks(source).catch((error: unknown) => {
        if (error instanceof ContentFault) return error;
        throw error;
      });
      const taking = await turnBegun;
      const { tally } = taking;
      await takeAllBut(0, taking);
      await Promise.all(handedOver);
      if (fault && !tally.hasFailed) {
        tally.fail({ code: fault.code, finding: { message: fault.message } });
      }
      return { ...tally.summary(), bytesRead, sums: tally.sums() };
    } finally {
      await Promise.allSettled([...handedOver, ...underWay.map(({ scanned }) => scanned)]);
      for (const scan of underWay) {
        giveBackInput(scan);
        buffers.giveBack(scan.output);
      }
      await source.close();
    }
  }

  const reading = run();
  // The reader gets the error when the file's turn has come.
  reading.catch(() => {});
  turnBegun.catch(() => {});

  return {
    read(receiver) {
      turn = { receiver, tally: createFileTally({ ...options, ...receiver }) };
      receiver.onBytes?.(sourceBytes);
      buffers.beginTurn();
      beginTurn(turn);
      return reading;
    },
    async [Symbol.asyncDispose]() {
      const reason = new Error('the file was closed before it was read');
      closing.abort(reason);
      refuseTurn(reason);
      await reading.catch(() => {});
    },
  };
}

/** Labels that all fit into an audience; a chunk with more keeps its input, to count their memory. */
const fewLabels = limits.labelsPerAudience.most;

/** Whether a scanned chunk needs little memory besides its rows, and its input is not needed. */
function isLight({ rejects, labels }: ScannedChunk): boolean {
  return rejects.length === 0 && (labels?.offsets.length ?? 0) <= fewLabels;
}
