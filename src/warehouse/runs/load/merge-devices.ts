import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { compareDevices } from '../device-words.ts';

/** The devices of either list, both ascending, each once. */
export function mergeDevices(a: Uint32Array, b: Uint32Array): Uint32Array {
  const merged = new Uint32Array(a.length + b.length);
  let end = 0;
  let atA = 0;
  let atB = 0;
  while (atA < a.length || atB < b.length) {
    const order = atA === a.length ? 1 : atB === b.length ? -1 : compareDevices(a, atA, b, atB);
    const [from, at] = order <= 0 ? [a, atA] : [b, atB];
    for (let word = 0; word < wordsPerDevice; word++) merged[end++] = from[at + word]!;
    if (order <= 0) atA += wordsPerDevice;
    if (order >= 0) atB += wordsPerDevice;
  }
  return merged.subarray(0, end);
}
