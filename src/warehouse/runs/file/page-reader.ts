import { crc32 } from '@node-rs/crc32';
import type { Tasks } from '../../../threads/serve-tasks.ts';
import { swapWords, wordsPerDevice } from '../devices/device-words.ts';
import { unreadableError } from './damage-error.ts';
import { readFully } from './file-io.ts';
import { createOpenFiles } from './open-files.ts';
import type { ReadableRun } from './readable-run.ts';

/** Reads and verifies pages of runs. Blocks, so it runs on threads only. */
export interface PageReader {
  /** Returns the devices of a page in the reader's own memory, valid until the next call. */
  readPage(run: ReadableRun, page: number): Uint32Array;
  /** Closes the files it opened. The reader can be used again. */
  close(): void;
}

/** An upper bound for the headers that we write. */
const maxHeaderBytes = 64;

/** Memory for one page. The header ends where the devices begin, at a word boundary. */
interface PageBuffer {
  readonly bytes: Uint8Array;
  readonly devices: Uint32Array;
}

export function createPageReader(): PageReader {
  const files = createOpenFiles();
  // Most pages have as many devices as the previous one and reuse its buffer.
  let buffer = bufferFor(0);
  return {
    close: files.close,
    readPage(run, page) {
      const words = run.index.devices[page]! * wordsPerDevice;
      if (buffer.devices.length !== words) buffer = bufferFor(words, buffer.bytes.buffer);
      try {
        readVerified(run.fd ?? files.open(run.path), run, page, buffer);
      } catch (error) {
        throw unreadableError(run, labelOf(run, page), error);
      }
      swapWords(buffer.devices);
      return buffer.devices;
    },
  };
}

function bufferFor(words: number, known?: ArrayBufferLike): PageBuffer {
  const end = maxHeaderBytes + words * Uint32Array.BYTES_PER_ELEMENT;
  const memory = known && known.byteLength >= end ? known : new ArrayBuffer(end);
  return {
    bytes: new Uint8Array(memory, 0, end),
    devices: new Uint32Array(memory, maxHeaderBytes, words),
  };
}

function readVerified(fd: number, { index }: ReadableRun, page: number, buffer: PageBuffer): void {
  const { bytes, devices } = buffer;
  const headerBytes = index.bytes[page]! - devices.byteLength;
  if (headerBytes <= 0 || headerBytes > maxHeaderBytes) throw new Error('unexpected page size');
  const whole = bytes.subarray(maxHeaderBytes - headerBytes);
  readFully(fd, whole, index.offsets[page]!);
  // 4 µs for a page; zlib's crc32 takes 30 µs here.
  if (crc32(bytes.subarray(maxHeaderBytes)) !== checksumIn(whole)) {
    throw new Error('checksum mismatch');
  }
}

function labelOf({ firstRowGroup, index: { rowGroupStarts } }: ReadableRun, page: number): string {
  const group = rowGroupStarts.findLastIndex((start) => start <= page);
  return `row group ${firstRowGroup + group}, page ${page - rowGroupStarts[group]!}`;
}

/**
 * Reads the checksum from a page header, which begins with four numbers: type, two sizes, checksum.
 * In thrift's compact protocol each is a field byte and a zigzag varint.
 */
function checksumIn(bytes: Uint8Array): number {
  const nextFieldIsNumber = 0x15;
  let at = 0;
  let value = 0;
  for (let field = 1; field <= 4; field++) {
    if (bytes[at++] !== nextFieldIsNumber) throw new Error('unexpected page header');
    value = 0;
    let byte: number;
    let shift = 0;
    do {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80 && shift < 35);
  }
  return ((value >>> 1) ^ -(value & 1)) >>> 0;
}

/** Makes each task close the reader's files when it ends, because files may be deleted at any time. */
export function closeAfterEach<T extends Tasks>(reader: PageReader, tasks: T): T {
  const closing = Object.entries(tasks).map(([name, task]) => [
    name,
    (input: unknown) => {
      try {
        return task(input);
      } finally {
        reader.close();
      }
    },
  ]);
  return Object.fromEntries(closing);
}
