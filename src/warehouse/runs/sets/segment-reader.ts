import { crc32 } from '@node-rs/crc32';
import { deviceBytes } from '../../../domain/device-id.ts';
import { messageOf } from '../../../domain/errors.ts';
import { swapWords } from '../device-words.ts';
import { readFully } from '../file-io.ts';
import type { OpenRun } from '../open-run.ts';

/** Reads pages of runs, verified. It blocks, and is for threads. */
export interface SegmentReader {
  /** The devices of a page, which stay there until the next call. */
  readPage(run: OpenRun, page: number): Uint32Array;
}

const bytesPerWord = Uint32Array.BYTES_PER_ELEMENT;
// Longer than any header of ours, and a multiple of the word: the body begins there.
const headerRoom = 64;

export function createSegmentReader(): SegmentReader {
  let memory = new Uint8Array(headerRoom);
  return {
    readPage(run, page) {
      const { index } = run;
      const bytes = index.bytes[page]!;
      const bodyBytes = index.devices[page]! * deviceBytes;
      const begin = headerRoom - (bytes - bodyBytes);
      if (memory.length < headerRoom + bodyBytes) memory = new Uint8Array(headerRoom + bodyBytes);
      try {
        if (begin < 0 || begin >= headerRoom) throw new Error('it has another size');
        readFully(run.fd, memory.subarray(begin, begin + bytes), index.offsets[page]!);
        const body = memory.subarray(headerRoom, headerRoom + bodyBytes);
        // Eight times as fast as zlib's here: 4 µs for a page, against 30.
        if (crc32(body) !== checksumIn(memory, begin)) {
          throw new Error('its checksum does not match');
        }
      } catch (error) {
        const message = `run file ${run.file} cannot be read: ${labelOf(run, page)}: ${messageOf(error)}`;
        throw new Error(message, { cause: error });
      }
      const devices = new Uint32Array(memory.buffer, headerRoom, bodyBytes / bytesPerWord);
      swapWords(devices);
      return devices;
    },
  };
}

function labelOf({ firstRowGroup, index: { rowGroupStarts } }: OpenRun, page: number): string {
  const group = rowGroupStarts.findLastIndex((start) => start <= page);
  return `row group ${firstRowGroup + group}, page ${page - rowGroupStarts[group]!}`;
}

/**
 * The checksum in a page's header, which begins with four numbers: type, both sizes, checksum. In
 * thrift's compact protocol each is a byte that says so and a zigzag number of 7 bits a byte.
 */
function checksumIn(bytes: Uint8Array, begin: number): number {
  const nextFieldIsNumber = 0x15;
  let at = begin;
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
