import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { FailureCode } from '../domain/import-problems.ts';
import { compressionAdvice } from './advice.ts';
import type { PulledSource } from './pulled-source.ts';

export interface ContentOptions {
  /** What the request says: true for gzip, false for none; undefined leaves it to the content. */
  readonly compressed: boolean | undefined;
  /** The size of the object, if it is known. */
  readonly compressedBytes?: number | undefined;
}

/** Why a file's content cannot be had; expected, and turned into the file's failure. */
export class ContentFault extends Error {
  override readonly name = 'ContentFault';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

type Compression = 'gzip' | 'zstd' | 'none';

const magicBytes = 4;
// Against pieces of 16 KiB, the default, inflating 443 MB took 1.95 s and not 3.1 s.
const pieceBytes = 1 << 20;
const expansionFloor = 2 ** 30;
const expansionFactor = 100;

/** The bytes of a file as they were before compression, in pieces of any size. */
export async function* readContent(
  source: PulledSource,
  { compressed, compressedBytes = 0 }: ContentOptions,
): AsyncGenerator<Uint8Array> {
  const compression = await detectCompression(source);
  if (compressed === true && compression !== 'gzip') {
    throw new ContentFault('not_compressed', compressionAdvice.notGzip);
  }
  if (compressed === false && compression !== 'none') {
    throw new ContentFault('bad_compression', compressionAdvice.notPlain);
  }
  if (compression === 'none') {
    yield* plain(source);
    return;
  }
  let taken = 0;
  let expanded = 0;
  const counted = {
    ...source,
    async next() {
      const chunk = await source.next();
      taken += chunk?.length ?? 0;
      return chunk;
    },
  };
  for await (const piece of decompress(counted, compression)) {
    expanded += piece.length;
    const limit = Math.max(expansionFloor, expansionFactor * Math.max(compressedBytes, taken));
    if (expanded > limit) throw new ContentFault('bad_compression', compressionAdvice.expanding);
    yield piece;
  }
}

async function* plain(source: PulledSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = await source.next();
    if (!chunk) return;
    yield chunk;
  }
}

/** Looks at the first bytes and puts them back. */
async function detectCompression(source: PulledSource): Promise<Compression> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < magicBytes) {
    const chunk = await source.next();
    if (!chunk) break;
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
  }
  if (head.length > 0) source.putBack(head);
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head.length < magicBytes) return 'none';
  const magic = Buffer.from(head.buffer, head.byteOffset, magicBytes).readUInt32LE();
  const isFrame = magic === 0xfd2f_b528;
  const isSkippable = magic >= 0x184d_2a50 && magic <= 0x184d_2a5f;
  return isFrame || isSkippable ? 'zstd' : 'none';
}

/**
 * Both formats may hold several streams one after the other. Node reads on through those of gzip
 * and stops at zeros after them; of zstd it stops after each, and a new stream takes what is left.
 */
async function* decompress(
  source: PulledSource,
  compression: 'gzip' | 'zstd',
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const rest = yield* decompressStream(source, compression);
    if (!rest) return;
    source.putBack(rest);
    if (compression === 'gzip') {
      await passPadding(source);
      return;
    }
  }
}

/** Ends with the bytes that the stream left over, if it ended before the file. */
async function* decompressStream(
  source: PulledSource,
  compression: 'gzip' | 'zstd',
): AsyncGenerator<Uint8Array, Uint8Array | undefined> {
  const options = { chunkSize: pieceBytes };
  const stream = compression === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  let sourceError: { error: unknown } | undefined;
  let rest: Uint8Array | undefined;

  async function feed(): Promise<void> {
    for (;;) {
      const chunk = await source.next().catch((error: unknown) => {
        sourceError = { error };
        throw error;
      });
      if (!chunk) break;
      const before = stream.bytesWritten;
      await new Promise<void>((resolve) => stream.write(chunk, () => resolve()));
      if (stream.destroyed) return;
      const used = stream.bytesWritten - before;
      if (used < chunk.length) {
        rest = chunk.subarray(used);
        break;
      }
    }
    stream.end();
  }

  // Whoever reads hears of errors; one that comes when nobody reads any more is of no interest.
  stream.on('error', () => {});
  const feeding = feed().catch((error: Error) => stream.destroy(error));
  try {
    for await (const piece of stream) yield piece;
    await feeding;
  } catch {
    if (sourceError) throw sourceError.error;
    throw new ContentFault('bad_compression', compressionAdvice.damaged);
  } finally {
    stream.destroy();
  }
  return rest;
}

/** Zeros after a gzip stream are padding, as tapes and block devices leave it. */
async function passPadding(source: PulledSource): Promise<void> {
  for await (const chunk of plain(source)) {
    if (chunk.some((byte) => byte !== 0)) {
      throw new ContentFault('bad_compression', compressionAdvice.damaged);
    }
  }
}
