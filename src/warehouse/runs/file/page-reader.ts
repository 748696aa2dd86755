import { crc32 } from '@node-rs/crc32';
import type { Tasks } from '../../../threads/serve-tasks.ts';
import { swapWords, wordsPerDevice } from '../devices/device-words.ts';
import { unreadableError } from './damage-error.ts';
import { readFully } from './file-io.ts';
import { createOpenFiles } from './open-files.ts';
import type { ListIndex } from './page-index.ts';
import { type RunPlace, readListIndex } from './read-index.ts';
import type { ReadableProfile, ReadableRun } from './readable-run.ts';

/** Reads and verifies pages of runs. Blocks, so it runs on threads only. */
export interface PageReader {
  /**
   * Returns the devices of a page in the given memory, or in the reader's own, valid until the next
   * page is read to it.
   */
  readPage(run: ReadableRun, page: number, into?: PageMemory): Uint32Array;
  /**
   * Returns the lists of a page's devices, one after the other: the list's length in bytes, in two
   * halves with the lower first, then its numbers. Valid until the next call.
   */
  readLists(profile: ReadableProfile, page: number): Uint16Array;
  /** Reads where the lists of a profile's pages are. */
  readListIndex(run: ReadableRun, place: RunPlace): ListIndex;
  /** Closes the files it opened. The reader can be used again. */
  close(): void;
}

/** An upper bound for the headers that we write. */
const maxHeaderBytes = 64;

/** Memory for one page, which grows with the page. */
export interface PageMemory {
  buffer: PageBuffer;
}

/** The header ends where the devices begin, at a word boundary. */
interface PageBuffer {
  readonly bytes: Uint8Array;
  readonly devices: Uint32Array;
}

export function newPageMemory(): PageMemory {
  return { buffer: bufferFor(0) };
}

export function createPageReader(): PageReader {
  const files = createOpenFiles();
  const own = newPageMemory();
  let listBytes = new Uint8Array(0);
  return {
    close: files.close,
    readPage(run, page, into = own) {
      const words = run.index.devices[page]! * wordsPerDevice;
      // Most pages have as many devices as the previous one and reuse its buffer.
      if (into.buffer.devices.length !== words) {
        into.buffer = bufferFor(words, into.buffer.bytes.buffer);
      }
      const { buffer } = into;
      try {
        readVerified(run.fd ?? files.open(run.path), run, page, buffer);
      } catch (error) {
        throw unreadableError(run, labelOf(run, page), error);
      }
      swapWords(buffer.devices);
      return buffer.devices;
    },
    readListIndex: (run, place) =>
      readListIndex(run.fd ?? files.open(run.path), place, run.index.pages),
    readLists(profile, page) {
      const length = profile.lists.bytes[page]!;
      if (listBytes.length < length) listBytes = new Uint8Array(length);
      try {
        const whole = listBytes.subarray(0, length);
        readFully(profile.fd ?? files.open(profile.path), whole, profile.lists.offsets[page]!);
        return verifiedLists(whole);
      } catch (error) {
        throw unreadableError(profile, `lists of ${labelOf(profile, page)}`, error);
      }
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
  if (crc32(bytes.subarray(maxHeaderBytes)) !== fieldsIn(whole).checksum) {
    throw new Error('checksum mismatch');
  }
}

/** The body of a page of lists, moved by a byte if it would begin at an odd place. */
function verifiedLists(whole: Uint8Array): Uint16Array {
  const { bytes, checksum } = fieldsIn(whole);
  const begin = whole.length - bytes;
  if (begin <= 0 || begin > maxHeaderBytes || bytes % 2 === 1)
    throw new Error('unexpected page size');
  if (crc32(whole.subarray(begin)) !== checksum) throw new Error('checksum mismatch');
  const even = begin - (begin % 2);
  if (even < begin) whole.copyWithin(even, begin);
  return new Uint16Array(whole.buffer, whole.byteOffset + even, bytes / 2);
}

function labelOf({ firstRowGroup, index: { rowGroupStarts } }: ReadableRun, page: number): string {
  const group = rowGroupStarts.findLastIndex((start) => start <= page);
  return `row group ${firstRowGroup + group}, page ${page - rowGroupStarts[group]!}`;
}

/**
 * Reads a page header, which begins with four numbers: type, two sizes, checksum. In thrift's compact
 * protocol each is a field byte and a zigzag varint.
 */
function fieldsIn(page: Uint8Array): { bytes: number; checksum: number } {
  const nextFieldIsNumber = 0x15;
  const values: number[] = [];
  let at = 0;
  while (values.length < 4) {
    if (page[at++] !== nextFieldIsNumber) throw new Error('unexpected page header');
    let value = 0;
    let byte: number;
    let shift = 0;
    do {
      byte = page[at++]!;
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80 && shift < 35);
    values.push(((value >>> 1) ^ -(value & 1)) >>> 0);
  }
  return { bytes: values[1]!, checksum: values[3]! };
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
