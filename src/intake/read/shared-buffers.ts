/**
 * Memory that threads share, used again and again: what is dropped is freed only once every thread
 * that saw it has collected its garbage, which nothing makes it do.
 */
export interface SharedBuffers {
  /** At least that many bytes, of whatever content. */
  take(bytes: number): SharedArrayBuffer;
  giveBack(buffer: SharedArrayBuffer): void;
}

const leastBytes = 1 << 16;

/** Keeps up to `keptBytes` that nobody uses; beyond that, buffers that come back are dropped. */
export function createSharedBuffers(keptBytes: number): SharedBuffers {
  const unused = new Map<number, SharedArrayBuffer[]>();
  let unusedBytes = 0;
  return {
    take(bytes) {
      const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, leastBytes)));
      const buffer = unused.get(size)?.pop();
      if (!buffer) return new SharedArrayBuffer(size);
      unusedBytes -= size;
      return buffer;
    },
    giveBack(buffer) {
      const size = buffer.byteLength;
      if (unusedBytes + size > keptBytes) return;
      unusedBytes += size;
      const same = unused.get(size);
      if (same) same.push(buffer);
      else unused.set(size, [buffer]);
    },
  };
}
