import { crc32 } from '@node-rs/crc32';
import type { Tasks } from '../../../threads/serve-tasks.ts';
import { swapWords, wordsPerDevice } from '../device-words.ts';
import { bytesOf, readFully } from '../file-io.ts';
import type { OpenRun } from '../open-run.ts';
import { unreadable } from '../run-damage.ts';
import { createOpenFiles } from './open-files.ts';

/** Reads pages of runs, verified. It blocks, and is for threads. */
export interface SegmentReader {
  /**
   * The devices of a page, where the caller wants them, or else in memory of the reader's own, where
   * they stay until the next call.
   */
  readPage(run: OpenRun, page: number, into?: PageRoom): Uint32Array;
  /** Lets go of the files that it opened. It can be used again. */
  close(): void;
}

/** Room for a page's devices from `at` on. The words before, `wordsBeforePage` of them, are used too. */
export interface PageRoom {
  readonly words: Uint32Array;
  readonly at: number;
}

const bytesPerWord = Uint32Array.BYTES_PER_ELEMENT;
/** More than the header of any page of ours takes. */
export const wordsBeforePage = 16;

export function createSegmentReader(): SegmentReader {
  const files = createOpenFiles();
  let own = new Uint32Array(wordsBeforePage);
  return {
    close: files.close,
    readPage(run, page, into) {
      const { index } = run;
      const words = index.devices[page]! * wordsPerDevice;
      if (!into && own.length < wordsBeforePage + words) {
        own = new Uint32Array(wordsBeforePage + words);
      }
      const { words: memory, at } = into ?? { words: own, at: wordsBeforePage };
      const body = memory.subarray(at, at + words);
      try {
        readVerified(run.fd ?? files.open(run.path), run, page, memory, at, bytesOf(body));
      } catch (error) {
        throw unreadable(run.file, labelOf(run, page), error);
      }
      swapWords(body);
      return body;
    },
  };
}

function readVerified(
  fd: number,
  { index }: OpenRun,
  page: number,
  memory: Uint32Array,
  at: number,
  body: Uint8Array,
): void {
  const bytes = index.bytes[page]!;
  const headerBytes = bytes - body.length;
  if (headerBytes <= 0 || headerBytes > wordsBeforePage * bytesPerWord) {
    throw new Error('it has another size');
  }
  const begin = memory.byteOffset + at * bytesPerWord - headerBytes;
  const whole = new Uint8Array(memory.buffer, begin, bytes);
  readFully(fd, whole, index.offsets[page]!);
  // Eight times as fast as zlib's here: 4 µs for a page, against 30.
  if (crc32(body) !== checksumIn(whole)) throw new Error('its checksum does not match');
}

function labelOf({ firstRowGroup, index: { rowGroupStarts } }: OpenRun, page: number): string {
  const group = rowGroupStarts.findLastIndex((start) => start <= page);
  return `row group ${firstRowGroup + group}, page ${page - rowGroupStarts[group]!}`;
}

/**
 * The checksum in a page's header, which begins with four numbers: type, both sizes, checksum. In
 * thrift's compact protocol each is a byte that says so and a zigzag number of 7 bits a byte.
 */
function checksumIn(bytes: Uint8Array): number {
  const nextFieldIsNumber = 0x15;
  let at = 0;
  let value = 0;
  for (let field = 1; field <= 4; field++) {
    if (bytes[at++] !== nextFieldIsNumber) throw new Error('its header is another one');
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

/** The tasks, after each of which the reader lets go of its files: they may be removed any time. */
export function closingAfter<T extends Tasks>(reader: SegmentReader, tasks: T): T {
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
