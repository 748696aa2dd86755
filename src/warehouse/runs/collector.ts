import { deviceBytes } from '../../domain/device-id.ts';
import { compareDevices, wordAt, wordsPerDevice } from './device-words.ts';
import type { Pause } from './pause.ts';
import { sortRecords, wordsPerRecord } from './sort-records.ts';
import { WordBuffer } from './word-buffer.ts';

/** Collects the rows of a load in memory. */
export interface Collector {
  add(device: Uint8Array, segmentIds: readonly number[]): void;
  /** Sorts what was collected, which is then used up. */
  sort(pause: Pause): Promise<CollectedDevices>;
}

interface CollectedDevices {
  /** Distinct devices over all segments. */
  readonly uniqueDevices: number;
  /** Ascending. */
  readonly segmentIds: readonly number[];
  /** The distinct devices of a segment, ascending, in memory of their own. */
  devicesOf(segmentId: number): Uint32Array;
}

const recordsPerStep = 1 << 20;

export function createCollector(): Collector {
  // Each row's device, followed by where its segments stand in `memberships`: how many, then which,
  // by number in order of appearance. So however many segments there are, devices sort only once.
  const records = new WordBuffer();
  const memberships = new WordBuffer();
  const segmentNumbers = new Map<number, number>();

  function add(device: Uint8Array, segmentIds: readonly number[]): void {
    if (device.length !== deviceBytes) {
      throw new RangeError(`a device has ${deviceBytes} bytes, not ${device.length}`);
    }
    for (let word = 0; word < wordsPerDevice; word++) records.push(wordAt(device, word * 4));
    records.push(memberships.length);
    memberships.push(segmentIds.length);
    for (const segmentId of segmentIds) memberships.push(numberOf(segmentId));
  }

  function numberOf(segmentId: number): number {
    let number = segmentNumbers.get(segmentId);
    if (number === undefined) {
      number = segmentNumbers.size;
      segmentNumbers.set(segmentId, number);
    }
    return number;
  }

  async function sort(pause: Pause): Promise<CollectedDevices> {
    const sorted = await sortRecords(records.view(), pause);
    const ranks = Array.from(segmentNumbers, () => new WordBuffer());
    let end = 0;
    for (let at = 0; at < sorted.length; at += recordsPerStep * wordsPerRecord) {
      const stop = Math.min(at + recordsPerStep * wordsPerRecord, sorted.length);
      end = distribute(sorted, at, stop, end, memberships.view(), ranks);
      await pause();
    }
    const devices = sorted.subarray(0, end);
    return {
      uniqueDevices: devices.length / wordsPerDevice,
      segmentIds: [...segmentNumbers.keys()].sort((a, b) => a - b),
      devicesOf: (segmentId) => gather(devices, ranks[segmentNumbers.get(segmentId)!]!.view()),
    };
  }

  return { add, sort };
}

/**
 * Walks the sorted records from `at` to `stop`: moves distinct devices to the front of the same
 * memory, where all has been read already, and notes their ranks with their segments. `end` is
 * where the distinct devices end, before and (returned) after.
 */
function distribute(
  sorted: Uint32Array,
  at: number,
  stop: number,
  end: number,
  memberships: Uint32Array,
  ranks: readonly WordBuffer[],
): number {
  let last = end - wordsPerDevice;
  for (let record = at; record < stop; record += wordsPerRecord) {
    const position = sorted[record + wordsPerDevice]!;
    if (last < 0 || compareDevices(sorted, last, sorted, record) !== 0) {
      last += wordsPerDevice;
      for (let word = 0; word < wordsPerDevice; word++)
        sorted[last + word] = sorted[record + word]!;
    }
    const rank = last / wordsPerDevice;
    for (let i = position + memberships[position]!; i > position; i--) {
      const ofSegment = ranks[memberships[i]!]!;
      if (ofSegment.last !== rank) ofSegment.push(rank);
    }
  }
  return last + wordsPerDevice;
}

function gather(devices: Uint32Array, ranks: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(ranks.length * wordsPerDevice);
  let end = 0;
  for (const rank of ranks) {
    const at = rank * wordsPerDevice;
    for (let word = 0; word < wordsPerDevice; word++) gathered[end++] = devices[at + word]!;
  }
  return gathered;
}
