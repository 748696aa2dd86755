import { maximumLineBytes } from '../report/faults.ts';
import { slackBytes } from '../scan/chunk-cursor.ts';
import type { SharedBuffers } from './shared-buffers.ts';

/** Whole lines of a file, in a buffer that belongs to whoever is handed it. */
export interface LineChunk {
  readonly input: SharedArrayBuffer;
  /** The lines are bytes [start, end) of it; the last one is a line feed. */
  readonly start: number;
  readonly end: number;
  readonly isFileStart: boolean;
}

const lineFeed = 0x0a;
/** Copying into shared memory is eight times as fast from and to places that agree modulo this. */
const alignment = 8;
/** More than the longest line, with the byte order mark and the ending that do not count. */
const hopelessLineBytes = maximumLineBytes + 6;

/**
 * Cuts bytes into chunks of about `chunkBytes`, after their last line feed; the last chunk gets one
 * if the file has none. A line that is too long whatever follows ends the reading: it is the end of
 * the last chunk, and only its beginning was held.
 */
export async function* cutIntoChunks(
  content: AsyncIterable<Uint8Array>,
  chunkBytes: number,
  buffers: SharedBuffers,
): AsyncGenerator<LineChunk> {
  const capacity = chunkBytes + hopelessLineBytes;
  let bytes: Uint8Array<SharedArrayBuffer> | undefined;
  let start = 0;
  let filled = 0;
  /** Where the line begins that is not whole yet. */
  let lineStart = 0;
  let isFileStart = true;

  function take(): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(buffers.take(alignment + capacity + slackBytes));
  }

  /** As much as there is room for; where one line fills the chunk already, up to its end only. */
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
        bytes ??= take();
        const part = nextPart(piece, from);
        bytes.set(part, filled);
        const feed = part.lastIndexOf(lineFeed);
        if (feed !== -1) lineStart = filled + feed + 1;
        filled += part.length;
        from += part.length;
        if (filled - lineStart >= hopelessLineBytes) break reading;
        if (filled - start < chunkBytes || lineStart === start) continue;

        const chunk = chunkOf(bytes, lineStart);
        const rest = bytes.subarray(lineStart, filled);
        // What comes next is copied to where the rest ends; another piece will be aligned itself.
        const next = from < piece.length ? piece.byteOffset + from : 0;
        start = (next - rest.length) & (alignment - 1);
        bytes = take();
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
