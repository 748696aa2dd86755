import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { inPlace, type RowBatch, removal, wordsPerDevice } from '../../domain/row-batch.ts';

/** The first 128 bits of the SHA-256 of each device, as packed words. */
export function digestsOf(devices: Uint32Array): Uint32Array {
  const digests = new Uint32Array(devices.length);
  for (let at = 0; at < devices.length; at += wordsPerDevice) {
    const words = devices.subarray(at, at + wordsPerDevice);
    const id = Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
    const digest = createHash('sha256').update(id).digest();
    for (let word = 0; word < wordsPerDevice; word++) {
      digests[at + word] = digest.readUInt32BE(word * Uint32Array.BYTES_PER_ELEMENT);
    }
  }
  return digests;
}

/** 50 ms of hashing. */
const wordsPerSlice = 16_384 * wordsPerDevice;

/**
 * Packed words in slices, with a turn of the event loop after each. Without these turns, hashing millions
 * of devices would stop the heartbeats of locks, which would then be lost.
 */
export async function* inSlices(
  words: Uint32Array,
  most = wordsPerSlice,
): AsyncGenerator<Uint32Array> {
  for (let at = 0; at < words.length; at += most) {
    yield words.subarray(at, at + most);
    await setImmediate();
  }
}

/** Rows that add the devices to the segment with that number of a load. */
export function rowsAddingTo(segment: number, devices: Uint32Array): RowBatch {
  return rowsOf(devices, inPlace | segment);
}

/** Rows that remove the devices from all segments of a load. */
export function rowsRemoving(devices: Uint32Array): RowBatch {
  return rowsOf(devices, removal);
}

function rowsOf(devices: Uint32Array, header: number): RowBatch {
  const rows = devices.length / wordsPerDevice;
  const wordsPerRow = wordsPerDevice + 1;
  const bytes = rows * wordsPerRow * Uint32Array.BYTES_PER_ELEMENT;
  const words = new Uint32Array(new SharedArrayBuffer(bytes));
  for (let row = 0; row < rows; row++) {
    const from = row * wordsPerDevice;
    words.set(devices.subarray(from, from + wordsPerDevice), row * wordsPerRow);
    words[row * wordsPerRow + wordsPerDevice] = header;
  }
  return { words, rows, numbering: null, release() {} };
}
