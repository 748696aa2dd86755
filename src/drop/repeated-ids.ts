import { ArchiveFault } from './archive-fault.ts';

/** With 16 bits for each id and four of them set, 0.24% of the ids are suspected wrongly. */
const bitsPerId = 16;
const probes = 4;
/** 128 MB. Of more than 64 million ids, more are suspected wrongly. */
const mostBits = 2 ** 30;
const mostSuspects = 1_000_000;

/**
 * The ids that occur more than once. A list may have too many ids for a set of them, so a Bloom filter
 * finds suspects first, and a second reading counts only those.
 */
export async function findRepeatedIds(
  read: () => AsyncIterable<readonly string[]>,
  count: number,
): Promise<ReadonlySet<string>> {
  const suspects = new Set<string>();
  const filter = createFilter(count);
  for await (const ids of read()) {
    // A copy, because a part of a text keeps all of it in memory.
    for (const id of ids) if (filter.addAndTest(id)) suspects.add(Buffer.from(id).toString());
    if (suspects.size > mostSuspects) {
      throw new ArchiveFault(`More than ${mostSuspects} ids of the archive occur more than once`);
    }
  }
  if (suspects.size === 0) return suspects;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for await (const ids of read()) {
    for (const id of ids) {
      if (!suspects.has(id)) continue;
      if (seen.has(id)) repeated.add(id);
      else seen.add(id);
    }
  }
  return repeated;
}

/** `addAndTest` returns whether the id was perhaps added before. */
function createFilter(count: number) {
  const power = Math.ceil(Math.log2(Math.max(count * bitsPerId, 1_024)));
  const bits = Math.min(2 ** power, mostBits);
  const words = new Uint32Array(bits / 32);
  return {
    addAndTest(id: string): boolean {
      const one = hash(id, 0x811c9dc5);
      const other = hash(id, 0x9e3779b9) | 1;
      let wasThere = true;
      for (let n = 0; n < probes; n += 1) {
        const bit = ((one + Math.imul(n, other)) >>> 0) & (bits - 1);
        const mask = 1 << (bit & 31);
        if ((words[bit >>> 5]! & mask) === 0) wasThere = false;
        words[bit >>> 5]! |= mask;
      }
      return wasThere;
    },
  };
}

/** FNV-1a, with a final mix because only some of the bits are used. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let n = 0; n < text.length; n += 1) {
    value = Math.imul(value ^ text.charCodeAt(n), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return value ^ (value >>> 13);
}
