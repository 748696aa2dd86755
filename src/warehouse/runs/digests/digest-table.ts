import { wordsPerDevice } from '../devices/device-words.ts';
import type { PageReader } from '../file/page-reader.ts';
import type { ReadableRun } from '../file/readable-run.ts';

/**
 * Says which digests may be in a set. The first bits of a digest select one of many bits, most of which
 * are 0: reading it is all that most digests need. They also select a bucket, which has 16 bits of each of
 * its digests. One of 10,000 other digests passes both, and is then looked up in the runs. All threads
 * share the table. It takes about five bytes for each digest.
 */
export interface DigestTable {
  /** Shifts the first word of a digest down to its bit. */
  readonly bitShift: number;
  /** The bits that digests of the set select are 1. */
  readonly bits: Uint32Array<SharedArrayBuffer>;
  /** Shifts the first word of a digest down to its bucket. */
  readonly shift: number;
  /** Where each bucket ends. The first entry is 0, so bucket n begins at entry n. */
  readonly ends: Uint32Array<SharedArrayBuffer>;
  /** The upper half of the second word of each digest, bucket by bucket. */
  readonly prints: Uint16Array<SharedArrayBuffer>;
}

const digestsPerBucket = 4;
const maxBucketBits = 26;
const bitsPerWord = 32;

export function newDigestTable(digests: number): DigestTable {
  const wanted = Math.ceil(Math.log2(digests / digestsPerBucket));
  const bucketBits = Math.min(Math.max(wanted, 1), maxBucketBits);
  const buckets = 2 ** bucketBits;
  const sharedWords = (words: number) =>
    new Uint32Array(new SharedArrayBuffer(words * Uint32Array.BYTES_PER_ELEMENT));
  return {
    // A word for each bucket.
    bitShift: 32 - bucketBits - Math.log2(bitsPerWord),
    bits: sharedWords(buckets),
    shift: 32 - bucketBits,
    ends: sharedWords(buckets + 1),
    prints: new Uint16Array(new SharedArrayBuffer(digests * Uint16Array.BYTES_PER_ELEMENT)),
  };
}

/** Fills a new table. Reads every page twice. */
export function fillDigestTable(
  reader: Pick<PageReader, 'readPage'>,
  runs: readonly ReadableRun[],
  { bitShift, bits, shift, ends, prints }: DigestTable,
): void {
  eachDigest(reader, runs, (words, at) => {
    const bit = words[at]! >>> bitShift;
    bits[bit >>> 5]! |= 1 << bit;
    const bucket = words[at]! >>> shift;
    // Counted two entries ahead, because the next loop turns the entry between into a start.
    if (bucket + 2 < ends.length) ends[bucket + 2]!++;
  });
  for (let entry = 1; entry < ends.length; entry++) ends[entry]! += ends[entry - 1]!;
  // The entry after a bucket is where its next digest goes, and in the end where it ends.
  eachDigest(reader, runs, (words, at) => {
    const entry = (words[at]! >>> shift) + 1;
    prints[ends[entry]!++] = words[at + 1]! >>> 16;
  });
}

function eachDigest(
  reader: Pick<PageReader, 'readPage'>,
  runs: readonly ReadableRun[],
  visit: (words: Uint32Array, at: number) => void,
): void {
  for (const run of runs) {
    for (let page = 0; page < run.index.pages; page++) {
      const words = reader.readPage(run, page);
      for (let at = 0; at < words.length; at += wordsPerDevice) visit(words, at);
    }
  }
}

/**
 * Writes the numbers of the digests that may be in the set to `candidates`, and returns how many. Both
 * arrays have space for all.
 */
export function findCandidates(
  { bitShift, bits, shift, ends, prints }: DigestTable,
  digests: Uint32Array,
  candidates: Uint32Array,
): number {
  let found = 0;
  for (let at = 0; at < digests.length; at += 4) {
    const bit = digests[at]! >>> bitShift;
    if (((bits[bit >>> 5]! >>> bit) & 1) === 0) continue;
    const bucket = digests[at]! >>> shift;
    const print = digests[at + 1]! >>> 16;
    const end = ends[bucket + 1]!;
    for (let i = ends[bucket]!; i < end; i++) {
      if (prints[i] !== print) continue;
      candidates[found++] = at >>> 2;
      break;
    }
  }
  return found;
}
