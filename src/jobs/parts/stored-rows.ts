import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { RejectCode } from '../../domain/import-problems.ts';
import type { RowBatch } from '../../domain/row-batch.ts';
import type { FileReading, FileReceiver, OpenedMarketplaceFile } from '../../intake/intake.ts';
import type { ObjectStore, ObjectVersion } from '../../objects/port.ts';
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

/**
 * An object is a sequence of blocks. A block has a number of rows and of bytes, as 32-bit integers, and the
 * rows in the format of `RowBatch`. The last block has no rows, but the `StoredReading` as JSON.
 */
const headerBytes = 8;

function block(rows: number, content: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + content.length);
  bytes.writeUInt32LE(rows, 0);
  bytes.writeUInt32LE(content.length, 4);
  bytes.set(content, headerBytes);
  return bytes;
}

/** A line makes the file fail. The worker that has the job reads the part again and reports the error. */
class InvalidPart extends Error {
  override readonly name = 'InvalidPart';
}

/** Reads a part and stores its rows as an object. Null if the file fails because of the part. */
export async function storeRows(
  objects: Pick<ObjectStore, 'put'>,
  job: Claim,
  part: OpenedMarketplaceFile,
): Promise<ObjectVersion | null> {
  const key = `${prefixOf(job)}${randomBytes(8).toString('hex')}`;
  const content = new PassThrough();
  // `reading` rejects with this error.
  content.on('error', () => {});
  const rejects: [number, RejectCode, string][] = [];
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
      onReject({ line, code, original }) {
        rejects.push([line, code, Buffer.from(original).toString('base64')]);
      },
      onBatch({ words, rows, release }) {
        const { buffer, byteOffset, byteLength } = words;
        const copy = block(rows, new Uint8Array(buffer, byteOffset, byteLength));
        release();
        return write(copy);
      },
    });
    if (sums.failure) throw new InvalidPart();
    const end: StoredReading = { sums, bytesRead, rejects };
    await write(block(0, Buffer.from(JSON.stringify(end))));
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
    if (cause instanceof InvalidPart) return null;
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
  const spare: SharedArrayBuffer[] = [];

  /** Used again, because memory that is allocated for every block is freed late. */
  function takeBuffer(bytes: number): SharedArrayBuffer {
    const index = spare.findIndex(({ byteLength }) => byteLength >= bytes);
    if (index !== -1) return spare.splice(index, 1)[0]!;
    return new SharedArrayBuffer(Math.ceil(bytes / bufferUnit) * bufferUnit);
  }

  try {
    for await (const { rows, bytes } of readBlocks(chunks, takeBuffer)) {
      if (rows === 0) {
        const text = Buffer.from(bytes).toString();
        const { rejects, ...reading } = JSON.parse(text) as StoredReading;
        for (const [line, code, base64] of rejects) {
          receiver.onReject?.({ line, code, original: Buffer.from(base64, 'base64') });
        }
        return reading;
      }
      const { buffer, length } = bytes;
      const batch: RowBatch = {
        rows,
        words: new Uint32Array(buffer, 0, length / Uint32Array.BYTES_PER_ELEMENT),
        numbering: null,
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

interface Block {
  readonly rows: number;
  readonly bytes: Uint8Array<SharedArrayBuffer>;
}

async function* readBlocks(
  chunks: AsyncIterable<Uint8Array>,
  takeBuffer: (bytes: number) => SharedArrayBuffer,
): AsyncGenerator<Block> {
  const header = Buffer.alloc(headerBytes);
  let headerFilled = 0;
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
        const size = header.readUInt32LE(4);
        bytes = new Uint8Array(takeBuffer(size), 0, size);
        filled = 0;
      }
      const some = chunk.subarray(at, at + bytes.length - filled);
      bytes.set(some, filled);
      filled += some.length;
      at += some.length;
      if (filled < bytes.length) continue;
      yield { rows: header.readUInt32LE(0), bytes };
      headerFilled = 0;
    }
  }
}
