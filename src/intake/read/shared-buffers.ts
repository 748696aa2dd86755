/**
 * Reuses memory that is shared between threads. A dropped buffer is freed only after every thread
 * that saw it has collected its garbage, which cannot be forced.
 */
export interface SharedBuffers {
  /** Returns at least that many bytes, not zeroed. */
  take(bytes: number): SharedArrayBuffer;
  giveBack(buffer: SharedArrayBuffer): void;
}

const minimumBytes = 1 << 16;

/** The size of a buffer of at least that many bytes. */
export function sizeOfBuffer(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(bytes, minimumBytes)));
}

/** Keeps up to `keptBytes` of unused buffers and drops the rest. */
export function createSharedBuffers(keptBytes: number): SharedBuffers {
  const unused = new Map<number, SharedArrayBuffer[]>();
  let unusedBytes = 0;
  return {
    take(bytes) {
      const size = sizeOfBuffer(bytes);
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
