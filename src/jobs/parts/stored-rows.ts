import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { RejectCode } from '../../domain/import-problems.ts';
import { limits } from '../../domain/limits.ts';
import { leftOut, type RowBatch } from '../../domain/row-batch.ts';
import {
  createFileTally,
  type FileReading,
  type FileReceiver,
  type OpenedFile,
} from '../../intake/intake.ts';
import { type ObjectStore, type ObjectVersion, VersionGone } from '../../objects/port.ts';
import type { Claim } from '../../records/queue/jobs.ts';

/** No partner's prefix begins like this. */
export const storedPrefix = 'parts/';

/** Where the rows of an attempt's parts are. */
export function prefixOf({ jobId, attempt }: Pick<Claim, 'jobId' | 'attempt'>): string {
  return `${storedPrefix}${jobId}-${attempt}/`;
}

/** The job and attempt of a key. Undefined if it is not a key of stored rows. */
export function attemptOf(key: string): { jobId: number; attempt: number } | undefined {
  const [, jobId, attempt] = /^parts\/(\d{1,15})-(\d{1,9})\//.exec(key) ?? [];
  return jobId === undefined ? undefined : { jobId: Number(jobId), attempt: Number(attempt) };
}

/** What reading a part found, besides rows. */
export type PartReading = Pick<FileReading, 'sums' | 'bytesRead'>;

/** The end of an object. */
interface StoredReading extends PartReading {
  readonly rejects: readonly (readonly [line: number, code: RejectCode, base64: string])[];
}

/** The labels of the rows of a block. */
interface StoredLabels {
  /** Labels that first occur in this block. The labels of an object are numbered in this order. */
  readonly fresh: readonly string[];
  /** The numbering of the `RowBatch`. */
  readonly numbering: readonly number[];
}

/**
 * An object is a sequence of blocks. A block has three 32-bit integers: a number of rows, and the bytes of
 * its rows and of its text. The rows follow in the format of `RowBatch`. The text is `StoredLabels` as JSON,
 * or empty. The last block has no rows, and its text is the `StoredReading` as JSON.
 */
const headerBytes = 12;

/** The keys to publish. Workers with another format of stored rows do not read parts with these keys. */
export function keysWithFormat(keys: string): string {
  return `2 ${keys}`;
}

function block(rows: number, words: Uint8Array, json: unknown): Buffer {
  const text = json === null ? '' : JSON.stringify(json);
  const textBytes = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(headerBytes + words.length + textBytes);
  bytes.writeUInt32LE(rows, 0);
  bytes.writeUInt32LE(words.length, 4);
  bytes.writeUInt32LE(textBytes, 8);
  bytes.set(words, headerBytes);
  bytes.write(text, headerBytes + words.length);
  return bytes;
}

/**
 * A line makes the file fail, or there are more labels than any audience has. The worker that has the job
 * reads the part again and reports the problem.
 */
class InvalidPart extends Error {
  override readonly name = 'InvalidPart';
}

/** Reads a part and stores its rows as an object. Null if the worker that has the job must read it. */
export async function storeRows(
  objects: Pick<ObjectStore, 'put'>,
  job: Claim,
  part: OpenedFile,
): Promise<ObjectVersion | null> {
  const key = `${prefixOf(job)}${randomBytes(8).toString('hex')}`;
  const content = new PassThrough();
  // `reading` rejects with this error.
  content.on('error', () => {});
  const rejects: [number, RejectCode, string][] = [];
  const labels: string[] = [];
  let labelsStored = 0;
  // A stream that is destroyed never calls back for the block that it was given last.
  const stopped = new Promise<never>((_, reject) => {
    content.once('close', () => reject(new Error('the store has stopped')));
  });
  stopped.catch(() => {});
  // Resolves when the store has taken the block, and rejects if it has stopped.
  const write = (bytes: Buffer) => {
    const taken = new Promise<void>((resolve, reject) => {
      content.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    return Promise.race([taken, stopped]);
  };

  async function read(): Promise<void> {
    const { sums, bytesRead } = await part.read({
      labelNumber(label) {
        if (labels.length === limits.labelsPerAudience.most) throw new InvalidPart();
        return labels.push(label) - 1;
      },
      onReject({ line, code, original }) {
        rejects.push([line, code, Buffer.from(original).toString('base64')]);
      },
      onBatch({ words, rows, numbering, release }) {
        const { buffer, byteOffset, byteLength } = words;
        const meaning: StoredLabels | null = numbering && {
          fresh: labels.slice(labelsStored),
          numbering: [...numbering],
        };
        labelsStored = labels.length;
        const copy = block(rows, new Uint8Array(buffer, byteOffset, byteLength), meaning);
        release();
        return write(copy);
      },
    });
    if (sums.failure) throw new InvalidPart();
    const end: StoredReading = { sums, bytesRead, rejects };
    await write(block(0, new Uint8Array(), end));
    content.end();
  }

  const reading = read().catch((error: Error) => {
    content.destroy(error);
    throw error;
  });
  reading.catch(() => {});
  try {
    const stored = await objects.put(key, content);
    await reading;
    return stored;
  } catch (error) {
    content.destroy();
    const cause = await reading.then(
      () => error,
      (first) => first,
    );
    // The other parts of this turn may be of other files.
    if (cause instanceof InvalidPart || cause instanceof VersionGone) return null;
    throw cause;
  }
}

/** How many batches may wait for the receiver. */
const batchesAhead = 4;
/** The rows of most blocks have less. */
const bufferUnit = 1 << 20;

/** Hands over stored rows, and rejected rows last, as reading the part would have done. */
export async function takeStoredRows(
  chunks: AsyncIterable<Uint8Array>,
  receiver: FileReceiver,
): Promise<PartReading> {
  const handedOver: Promise<void>[] = [];
  const labelNumbers: number[] = [];
  const spare: SharedArrayBuffer[] = [];

  /** Used again, because memory that is allocated for every block is freed late. */
  function takeBuffer(bytes: number): SharedArrayBuffer {
    const index = spare.findIndex(({ byteLength }) => byteLength >= bytes);
    if (index !== -1) return spare.splice(index, 1)[0]!;
    return new SharedArrayBuffer(Math.ceil(bytes / bufferUnit) * bufferUnit);
  }

  /** The same rows with the receiver's numbers of the labels. */
  function numberingOf({ fresh, numbering }: StoredLabels): Uint32Array {
    for (const label of fresh) labelNumbers.push(receiver.labelNumber?.(label) ?? leftOut);
    return Uint32Array.from(numbering, (number) => labelNumbers[number]!);
  }

  try {
    for await (const { rows, buffer, wordBytes, text } of readBlocks(chunks, takeBuffer)) {
      if (rows === 0) {
        const { rejects, ...reading } = JSON.parse(text) as StoredReading;
        for (const [line, code, base64] of rejects) {
          receiver.onReject?.({ line, code, original: Buffer.from(base64, 'base64') });
        }
        return withLeftOut(reading, receiver);
      }
      const batch: RowBatch = {
        rows,
        words: new Uint32Array(buffer, 0, wordBytes / Uint32Array.BYTES_PER_ELEMENT),
        numbering: text === '' ? null : numberingOf(JSON.parse(text) as StoredLabels),
        release: () => void spare.push(buffer),
      };
      const taken = receiver.onBatch(batch);
      // Awaited below.
      taken.catch(() => {});
      handedOver.push(taken);
      if (handedOver.length > batchesAhead) await handedOver.shift();
    }
    throw new Error('stored rows are incomplete');
  } finally {
    await Promise.all(handedOver);
  }
}

/** Adds the problem of labels that the receiver leaves out, as reading the part would have done. */
function withLeftOut({ sums, bytesRead }: PartReading, { labelNumber }: FileReceiver): PartReading {
  const tally = createFileTally({ file: '', rejectLimit: 1, labelNumber });
  tally.numberLabels(sums.labelSums ?? []);
  tally.addSums(sums);
  return { sums: tally.sums(), bytesRead };
}

interface Block {
  readonly rows: number;
  /** Begins with the rows. */
  readonly buffer: SharedArrayBuffer;
  readonly wordBytes: number;
  readonly text: string;
}

async function* readBlocks(
  chunks: AsyncIterable<Uint8Array>,
  takeBuffer: (bytes: number) => SharedArrayBuffer,
): AsyncGenerator<Block> {
  const header = Buffer.alloc(headerBytes);
  let headerFilled = 0;
  let wordBytes = 0;
  let bytes = new Uint8Array(new SharedArrayBuffer(0));
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (headerFilled < headerBytes) {
        const some = chunk.subarray(at, at + headerBytes - headerFilled);
        header.set(some, headerFilled);
        headerFilled += some.length;
        at += some.length;
        if (headerFilled < headerBytes) continue;
        wordBytes = header.readUInt32LE(4);
        const size = wordBytes + header.readUInt32LE(8);
        bytes = new Uint8Array(takeBuffer(size), 0, size);
        filled = 0;
      }
      const some = chunk.subarray(at, at + bytes.length - filled);
      bytes.set(some, filled);
      filled += some.length;
      at += some.length;
      if (filled < bytes.length) continue;
      const { buffer } = bytes;
      const text = Buffer.from(bytes.subarray(wordBytes)).toString();
      yield { rows: header.readUInt32LE(0), buffer, wordBytes, text };
      headerFilled = 0;
    }
  }
}
