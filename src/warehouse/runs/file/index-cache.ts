import { bytesPerPage, indexAt, type PageIndex } from './page-index.ts';

/**
 * An LRU cache of page indexes in shared memory. Many indexes share one slab, because sending 40,000
 * buffers to a thread takes seconds and sending a few takes no time.
 */
export interface IndexCache {
  get(key: string): PageIndex | undefined;
  /** Copies an index into the cache. `rowGroupPages` has the number of pages of each row group. */
  add(key: string, rowGroupPages: Uint32Array, content: Uint8Array): PageIndex;
}

/** Evicted as a whole, because part of a buffer cannot be freed. */
interface Slab {
  readonly memory: SharedArrayBuffer;
  readonly indexes: Map<string, PageIndex>;
  used: number;
}

const slabBytes = 512 * 1024;
/** Measured overhead of an index of one page, including its key. */
const bytesPerIndex = 1024;
const onlyRowGroup: readonly number[] = [0];

export function createIndexCache(maxBytes: number): IndexCache {
  // A set keeps insertion order. A used slab is inserted again, so the oldest come first.
  const slabs = new Set<Slab>();
  const slabOf = new Map<string, Slab>();
  let newest: Slab | undefined;
  let lastUsed: Slab | undefined;
  let total = 0;

  function use(slab: Slab): void {
    if (slab === lastUsed) return;
    slabs.delete(slab);
    slabs.add(slab);
    lastUsed = slab;
  }

  function slabFor(bytes: number): Slab {
    if (newest && slabs.has(newest) && newest.used + bytes <= newest.memory.byteLength) {
      return newest;
    }
    const memory = new SharedArrayBuffer(Math.max(slabBytes, bytes));
    newest = { memory, indexes: new Map(), used: 0 };
    total += memory.byteLength;
    return newest;
  }

  function evictOldest(): void {
    for (const slab of slabs) {
      if (total <= maxBytes || slab === lastUsed) return;
      slabs.delete(slab);
      total -= slab.memory.byteLength + slab.indexes.size * bytesPerIndex;
      for (const key of slab.indexes.keys()) if (slabOf.get(key) === slab) slabOf.delete(key);
    }
  }

  return {
    get(key) {
      const slab = slabOf.get(key);
      if (slab) use(slab);
      return slab?.indexes.get(key);
    },
    add(key, rowGroupPages, content) {
      const slab = slabFor(content.length);
      new Uint8Array(slab.memory).set(content, slab.used);
      const starts = rowGroupPages.length === 1 ? onlyRowGroup : startsOf(rowGroupPages);
      const index = indexAt(slab.memory, slab.used, content.length / bytesPerPage, starts);
      slab.used += content.length;
      if (!slab.indexes.has(key)) total += bytesPerIndex;
      slab.indexes.set(key, index);
      slabOf.set(key, slab);
      use(slab);
      evictOldest();
      return index;
    },
  };
}

function startsOf(rowGroupPages: Uint32Array): number[] {
  let pages = 0;
  return Array.from(rowGroupPages, (more) => {
    const start = pages;
    pages += more;
    return start;
  });
}
