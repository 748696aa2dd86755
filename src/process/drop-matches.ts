import { wordsPerDevice } from '../domain/row-batch.ts';
import type { Matches } from '../drop/suppressions.ts';
import { bisect } from '../warehouse/runs/devices/device-range.ts';
import { compareDevices } from '../warehouse/runs/devices/device-words.ts';

/** 16 MB. */
const wordsPerPart = 2 ** 22;

/** Joins batches into parts. A part is valid until the next one is requested. */
export async function* inParts(
  batches: AsyncIterable<Uint32Array>,
  most = wordsPerPart,
): AsyncGenerator<Uint32Array> {
  const part = new Uint32Array(most);
  let length = 0;
  for await (let words of batches) {
    while (words.length > 0) {
      const fitting = words.subarray(0, most - length);
      part.set(fitting, length);
      length += fitting.length;
      words = words.subarray(fitting.length);
      if (length < most) continue;
      yield part;
      length = 0;
    }
  }
  if (length > 0) yield part.subarray(0, length);
}

/** Looks for digests among ascending ones, which take 16 bytes each. */
export function matchesIn(matched: Uint32Array): Matches {
  return {
    async among(batch) {
      const words = wordsOf(batch);
      const flags = new Uint8Array(words.length / wordsPerDevice);
      for (let n = 0; n < flags.length; n += 1) {
        const from = n * wordsPerDevice;
        const at = bisect(matched, 0, matched.length, wordsPerDevice, words, from);
        if (at < matched.length && compareDevices(matched, at, words, from) === 0) flags[n] = 1;
      }
      return flags;
    },
  };
}

/** Digests as packed words. */
export function wordsOf(batch: Uint8Array): Uint32Array {
  const bytes = new DataView(batch.buffer, batch.byteOffset, batch.length);
  const size = Uint32Array.BYTES_PER_ELEMENT;
  const words = new Uint32Array(batch.length / size);
  for (let n = 0; n < words.length; n += 1) words[n] = bytes.getUint32(n * size);
  return words;
}
