import { bytesPerPage, indexAt, type PageIndex } from './page-index.ts';

/**
 * Page indexes in memory that threads share, of which it keeps those that were used last. Many lie
 * in one slab of memory, for to tell a thread of 40,000 buffers takes seconds, and of a few nothing.
 */
export interface IndexCache {
  get(key: string): PageIndex | undefined;
  /** Copies the arrays of an index with these pages in its row groups. */
  add(key: string, rowGroupPages: Uint32Array, content: Uint8Array): PageIndex;
}

/** Kept and forgotten as a whole, for a part of it could not be given back. */
interface Slab {
  readonly memory: SharedArrayBuffer;
  readonly indexes: Map<string, PageIndex>;
  used: number;
}

const slabBytes = 512 * 1024;
/** What an index of one page was seen to take beside its contents, with its key. */
const bytesPerIndex = 1024;
const onlyRowGroup: readonly number[] = [0];

export function createIndexCache(maxBytes: number): IndexCache {
  // A set keeps the order of insertion; what is used is inserted anew, so the oldest stand first.
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

  function forgetOldest(): void {
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
      forgetOldest();
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
