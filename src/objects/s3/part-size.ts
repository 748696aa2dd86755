const leastPartBytes = 8 * 1024 * 1024;
/** S3 takes no more. */
const mostParts = 10_000;
const partsAtOnce = 4;

/** How to upload an object of at most this size in parts. The parts in memory are few and, if possible, small. */
export function planParts(size: number): { partSize: number; queueSize: number } {
  const partSize = Math.max(leastPartBytes, Math.ceil(size / mostParts));
  const queueSize = Math.max(1, Math.floor((partsAtOnce * leastPartBytes) / partSize));
  return { partSize, queueSize };
}
