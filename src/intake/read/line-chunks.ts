import { maximumLineBytes } from '../report/faults.ts';
import { lineFeed } from '../scan/ascii.ts';
import { slackBytes } from '../scan/chunk-cursor.ts';
import type { FileBuffers } from './read-ahead.ts';

/** Whole lines of a file, in a buffer that the receiver owns. */
export interface LineChunk {
  readonly input: SharedArrayBuffer;
  /** The lines are bytes [start, end) of `input`. The last byte is a line feed. */
  readonly start: number;
  readonly end: number;
  readonly isFileStart: boolean;
}

/** Copying into shared memory is eight times as fast if both offsets are equal modulo this. */
const alignment = 8;
/** More than the longest line with a byte order mark and its ending. */
const tooLongLineBytes = maximumLineBytes + 6;

/**
 * Cuts bytes into chunks of about `chunkBytes`, each ending with a line feed. The last chunk gets one
 * if the file has none. A line that is too long ends the reading: its beginning ends the last chunk.
 */
export async function* cutIntoChunks(
  content: AsyncIterable<Uint8Array>,
  chunkBytes: number,
  buffers: FileBuffers,
): AsyncGenerator<LineChunk> {
  const capacity = chunkBytes + tooLongLineBytes;
  let bytes: Uint8Array<SharedArrayBuffer> | undefined;
  let start = 0;
  let filled = 0;
  /** The start of the line that is not complete yet. */
  let lineStart = 0;
  let isFileStart = true;

  async function take(): Promise<Uint8Array<SharedArrayBuffer>> {
    return new Uint8Array(await buffers.take(alignment + capacity + slackBytes));
  }

  /** As much as fits. If one line already fills the chunk, only up to the end of that line. */
  function nextPart(piece: Uint8Array, from: number): Uint8Array {
    const held = filled - start;
    if (held < chunkBytes) return piece.subarray(from, from + chunkBytes - held);
    const part = piece.subarray(from, from + capacity - held);
    const feed = part.indexOf(lineFeed);
    return feed === -1 ? part : part.subarray(0, feed + 1);
  }

  function chunkOf(full: Uint8Array<SharedArrayBuffer>, end: number): LineChunk {
    const chunk = { input: full.buffer, start, end, isFileStart };
    isFileStart = false;
    return chunk;
  }

  try {
    reading: for await (const piece of content) {
      for (let from = 0; from < piece.length; ) {
        bytes ??= await take();
        const part = nextPart(piece, from);
        bytes.set(part, filled);
        const feed = part.lastIndexOf(lineFeed);
        if (feed !== -1) lineStart = filled + feed + 1;
        filled += part.length;
        from += part.length;
        if (filled - lineStart >= tooLongLineBytes) break reading;
        if (filled - start < chunkBytes || lineStart === start) continue;

        const chunk = chunkOf(bytes, lineStart);
        const rest = bytes.subarray(lineStart, filled);
        // Chosen so that the copy of the next bytes, which follow the rest, is aligned.
        const next = from < piece.length ? piece.byteOffset + from : 0;
        start = (next - rest.length) & (alignment - 1);
        bytes = await take();
        bytes.set(rest, start);
        filled = start + rest.length;
        lineStart = start;
        yield chunk;
      }
    }
    if (bytes && filled > start) {
      if (lineStart < filled) bytes[filled++] = lineFeed;
      const last = bytes;
      bytes = undefined;
      yield chunkOf(last, filled);
    }
  } finally {
    if (bytes) buffers.giveBack(bytes.buffer);
  }
}
