import { createZstdDecompress } from 'node:zlib';
import { expansionFactor, limits } from '../../domain/limits.ts';
import { compressionAdvice } from '../report/advice.ts';
import { ContentFault } from './content-fault.ts';
import type { Inflaters } from './inflaters.ts';
import type { PrefetchedSource } from './prefetch-source.ts';
import type { FileBuffers } from './read-ahead.ts';

export interface ContentOptions {
  /** From the request: true for gzip, false for uncompressed, undefined to detect it. */
  readonly compressed: boolean | undefined;
  /** The size of the object, if known. */
  readonly compressedBytes?: number | undefined;
}

type Compression = 'gzip' | 'zstd' | 'none';

const magicBytes = 4;
const pieceBytes = 1 << 20;

/** The uncompressed bytes of a file. Each piece is valid until the next one is requested. */
export async function* readContent(
  source: PrefetchedSource,
  { compressed, compressedBytes = 0 }: ContentOptions,
  inflaters: Pick<Inflaters, 'inflate'>,
  buffers: FileBuffers,
): AsyncGenerator<Uint8Array> {
  const compression = await detectCompression(source);
  if (compressed === true && compression !== 'gzip') {
    throw new ContentFault('not_compressed', compressionAdvice.notGzip);
  }
  if (compressed === false && compression !== 'none') {
    throw new ContentFault('bad_compression', compressionAdvice.notPlain);
  }
  if (compression === 'none') {
    yield* readPlain(source);
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
  const content =
    compression === 'gzip' ? inflaters.inflate(counted, buffers) : decompressZstd(counted);
  for await (const piece of content) {
    expanded += piece.length;
    const limit = Math.max(
      limits.expandedBytes.most,
      expansionFactor * Math.max(compressedBytes, taken),
    );
    if (expanded > limit) throw new ContentFault('bad_compression', compressionAdvice.expanding);
    yield piece;
  }
}

export async function* readPlain(source: PrefetchedSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = await source.next();
    if (!chunk) return;
    yield chunk;
  }
}

/** Reads the first bytes and puts them back. */
async function detectCompression(source: PrefetchedSource): Promise<Compression> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < magicBytes) {
    const chunk = await source.next();
    if (!chunk) break;
    // Copied if more is needed, because requesting another chunk may overwrite earlier ones.
    head = head.length === 0 && chunk.length >= magicBytes ? chunk : Buffer.concat([head, chunk]);
  }
  if (head.length > 0) source.putBack(head);
  return compressionOf(head);
}

/** The compression of a file that begins with these bytes. */
export function compressionOf(head: Uint8Array): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head.length < magicBytes) return 'none';
  const magic = Buffer.from(head.buffer, head.byteOffset, magicBytes).readUInt32LE();
  const isFrame = magic === 0xfd2f_b528;
  const isSkippable = magic >= 0x184d_2a50 && magic <= 0x184d_2a5f;
  return isFrame || isSkippable ? 'zstd' : 'none';
}

/** Node stops after each frame. A new stream decompresses the rest of the file. */
async function* decompressZstd(source: PrefetchedSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const rest = yield* decompressFrame(source);
    if (!rest) return;
    source.putBack(rest);
  }
}

/** Returns the bytes after the frame, if there are any. */
async function* decompressFrame(
  source: PrefetchedSource,
): AsyncGenerator<Uint8Array, Uint8Array | undefined> {
  const stream = createZstdDecompress({ chunkSize: pieceBytes });
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

  // The reader below gets the errors. Later ones do not matter.
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
