import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { growArray } from '../../devices/grow-array.ts';
import { createDigestMatcher, type ReadableDigests } from '../../digests/match-digests.ts';
import type { PageReader } from '../../file/page-reader.ts';
import type { ReadableRun } from '../../file/readable-run.ts';
import { markShared, visitPages } from './subtract.ts';

/** Devices that must not be stored, as threads read them. */
export interface ReadableSuppression {
  readonly plain: readonly ReadableRun[];
  readonly digests: ReadableDigests | null;
  /** Their devices match no digest, so they need not be hashed. */
  readonly known: readonly ReadableRun[];
}

export interface SuppressionMarker {
  /**
   * For ascending devices: not 0 if the device or its digest is suppressed. Null if none is. Valid
   * until the next call.
   */
  mark(devices: Uint32Array, suppression: ReadableSuppression): Uint8Array | null;
}

const suppressed = 1;
const knownMark = 2;

export function createSuppressionMarker(reader: PageReader): SuppressionMarker {
  const match = createDigestMatcher(reader);
  let memory = new Uint8Array(0);
  let unknown = new Uint32Array(0);
  let numbers = new Uint32Array(0);

  function markHeld(
    devices: Uint32Array,
    marks: Uint8Array,
    runs: readonly ReadableRun[],
    mark: number,
  ): void {
    for (const run of runs) {
      visitPages(devices, run.index, 0, run.index.pages, (from, to, page) => {
        if (page === null) return;
        const some = marks.subarray(from / wordsPerDevice, to / wordsPerDevice);
        markShared(devices.subarray(from, to), some, reader.readPage(run, page), mark);
      });
    }
  }

  /** Marks devices without a mark whose digest is in the set. */
  function markMatching(devices: Uint32Array, marks: Uint8Array, digests: ReadableDigests): void {
    if (!marks.includes(knownMark) && !marks.includes(suppressed)) {
      match(devices, digests, (i) => {
        marks[i] = suppressed;
      });
      return;
    }
    unknown = growArray(unknown, devices.length);
    numbers = growArray(numbers, marks.length);
    let count = 0;
    for (let device = 0; device < marks.length; device++) {
      if (marks[device] !== 0) continue;
      const from = device * wordsPerDevice;
      const to = count * wordsPerDevice;
      for (let word = 0; word < wordsPerDevice; word++) unknown[to + word] = devices[from + word]!;
      numbers[count++] = device;
    }
    match(unknown.subarray(0, count * wordsPerDevice), digests, (i) => {
      marks[numbers[i]!] = suppressed;
    });
  }

  return {
    mark(devices, { plain, digests, known }) {
      const count = devices.length / wordsPerDevice;
      if (memory.length < count) memory = new Uint8Array(count);
      const marks = memory.subarray(0, count).fill(0);
      if (digests) markHeld(devices, marks, known, knownMark);
      // A known device may be suppressed as well, so these come after.
      markHeld(devices, marks, plain, suppressed);
      if (digests) markMatching(devices, marks, digests);
      if (!marks.includes(suppressed)) return null;
      for (let i = 0; i < count; i++) if (marks[i] === knownMark) marks[i] = 0;
      return marks;
    },
  };
}
