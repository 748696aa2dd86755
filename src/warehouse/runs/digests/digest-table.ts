import { wordsPerDevice } from '../devices/device-words.ts';
import type { PageReader } from '../file/page-reader.ts';
import type { ReadableRun } from '../file/readable-run.ts';

/**
 * Says which digests may be in a set. The first bits of a digest select a bucket. A bucket has a word, in
 * which each of its digests sets three bits: reading it is all that most digests need. It also has 16 bits
 * of each of its digests. One of 100,000 other digests passes both, and is then looked up in the runs. All
 * threads share the table. It takes about five bytes for each digest.
 */
export interface DigestTable {
  /** The word of each bucket. */
  readonly words: Uint32Array<SharedArrayBuffer>;
  /** Shifts the first word of a digest down to its bucket. */
  readonly shift: number;
  /** Where each bucket ends. The first entry is 0, so bucket n begins at entry n. */
  readonly ends: Uint32Array<SharedArrayBuffer>;
  /** The upper half of the second word of each digest, bucket by bucket. */
  readonly prints: Uint16Array<SharedArrayBuffer>;
}

const digestsPerBucket = 4;
const maxBucketBits = 26;

export function newDigestTable(digests: number): DigestTable {
  const wanted = Math.ceil(Math.log2(digests / digestsPerBucket));
  const bucketBits = Math.min(Math.max(wanted, 1), maxBucketBits);
  const buckets = 2 ** bucketBits;
  const sharedWords = (words: number) =>
    new Uint32Array(new SharedArrayBuffer(words * Uint32Array.BYTES_PER_ELEMENT));
  return {
    words: sharedWords(buckets),
    shift: 32 - bucketBits,
    ends: sharedWords(buckets + 1),
    prints: new Uint16Array(new SharedArrayBuffer(digests * Uint16Array.BYTES_PER_ELEMENT)),
  };
}

/** Fills a new table. Reads every page twice. */
export function fillDigestTable(
  reader: Pick<PageReader, 'readPage'>,
  runs: readonly ReadableRun[],
  { words, shift, ends, prints }: DigestTable,
): void {
  eachDigest(reader, runs, (digests, at) => {
    const bucket = digests[at]! >>> shift;
    words[bucket]! |= bitsOf(digests[at + 1]!);
    // Counted two entries ahead, because the next loop turns the entry between into a start.
    if (bucket + 2 < ends.length) ends[bucket + 2]!++;
  });
  for (let entry = 1; entry < ends.length; entry++) ends[entry]! += ends[entry - 1]!;
  // The entry after a bucket is where its next digest goes, and in the end where it ends.
  eachDigest(reader, runs, (digests, at) => {
    const entry = (digests[at]! >>> shift) + 1;
    prints[ends[entry]!++] = digests[at + 1]! >>> 16;
  });
}

/** Three bits, chosen by the lower half of the second word of a digest. */
function bitsOf(second: number): number {
  return (1 << second) | (1 << (second >>> 5)) | (1 << (second >>> 10));
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
  { words, shift, ends, prints }: DigestTable,
  digests: Uint32Array,
  candidates: Uint32Array,
): number {
  // First all words are read, without a branch, so that the CPU waits for many of them at once. With 5
  // million digests, this took half of the time.
  for (let at = 0; at < digests.length; at += 4) {
    candidates[at >>> 2] = words[digests[at]! >>> shift]!;
  }
  let passed = 0;
  for (let at = 0; at < digests.length; at += 4) {
    const word = candidates[at >>> 2]!;
    candidates[passed] = at;
    if ((bitsOf(digests[at + 1]!) & ~word) === 0) passed++;
  }
  let found = 0;
  for (const at of candidates.subarray(0, passed)) {
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
