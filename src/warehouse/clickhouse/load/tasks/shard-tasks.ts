import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { moving } from '../../../../threads/serve-tasks.ts';
import { swapWords } from '../../../runs/devices/device-words.ts';
import {
  createChunkReader,
  createExtentReader,
  type Extents,
  extentWords,
  type ScratchHandle,
  wordsPerExtent,
} from '../../../runs/load/memory/slots.ts';
import { createLoadTasks } from '../../../runs/load/tasks/load-tasks.ts';
import { markShared } from '../../../runs/load/tasks/subtract.ts';
import { createShardFinder } from './shard-of-device.ts';

export interface EncodeDevices {
  readonly scratch: ScratchHandle;
  readonly lists: readonly EncodedList[];
  /** Ascending devices that are left out of all lists. */
  readonly leftOut: Extents;
  readonly shards: number;
}

interface EncodedList {
  /** Ascending. */
  readonly devices: Extents;
  /** Devices that its segment has, ascending in each extent. They are left out as well. */
  readonly held: Extents;
}

/** The devices of one shard, list by list. */
export interface ShardDevices {
  /** As bytes, ascending in each list. */
  readonly devices: Uint32Array<ArrayBuffer>;
  /** How many devices each list has. */
  readonly counts: readonly number[];
}

/** Reads about 1 MiB of devices to leave out at a time. */
const extentsAtOnce = 64;

export type ShardTasks = ReturnType<typeof createShardTasks>;

/** All tasks of a thread that loads rows into shards. */
export function createShardTasks() {
  const readLists = createExtentReader();
  const readOther = createExtentReader();
  const readChunks = createChunkReader();
  const divideDevices = createDivider();

  /** Marks the devices that are on the other list as well, which is read in chunks. */
  function mark(
    devices: Uint32Array,
    marks: Uint8Array,
    scratch: ScratchHandle,
    other: Extents,
  ): void {
    const step = wordsPerExtent * extentsAtOnce;
    for (let at = 0; at < other.length; at += step) {
      markShared(devices, marks, readOther(scratch, other.subarray(at, at + step)), 1);
    }
  }

  /** The same for devices that ascend only within each extent. */
  function markHeld(
    devices: Uint32Array,
    marks: Uint8Array,
    scratch: ScratchHandle,
    held: Extents,
  ): void {
    const step = wordsPerExtent * extentsAtOnce;
    for (let at = 0; at < held.length; at += step) {
      for (const some of readChunks(scratch, held.subarray(at, at + step))) {
        markShared(devices, marks, some, 1);
      }
    }
  }

  /** Removes devices from the lists, in place. Returns the words that each list still has. */
  function leaveOut(listed: Uint32Array, words: readonly number[], input: EncodeDevices): number[] {
    const { scratch, lists, leftOut } = input;
    let from = 0;
    let end = 0;
    return words.map((length, i) => {
      const devices = listed.subarray(from, from + length);
      const marks = new Uint8Array(length / wordsPerDevice);
      mark(devices, marks, scratch, leftOut);
      markHeld(devices, marks, scratch, lists[i]!.held);
      const begin = end;
      for (let at = 0; at < length; at += wordsPerDevice) {
        if (marks[at / wordsPerDevice] !== 0) continue;
        // Not `copyWithin`, whose call takes longer than the four words.
        listed[end++] = devices[at]!;
        listed[end++] = devices[at + 1]!;
        listed[end++] = devices[at + 2]!;
        listed[end++] = devices[at + 3]!;
      }
      from += length;
      return end - begin;
    });
  }

  return {
    ...createLoadTasks(),

    /** Divides lists of devices by the shards that the devices belong to. */
    encodeDevices(input: EncodeDevices): ShardDevices[] {
      const { scratch, lists, leftOut, shards } = input;
      const extents = lists.map(({ devices }) => devices);
      const read = readLists(scratch, joined(extents));
      let words = extents.map(extentWords);
      if (leftOut.length > 0 || lists.some(({ held }) => held.length > 0)) {
        words = leaveOut(read, words, input);
      }
      const listed = read.subarray(
        0,
        words.reduce((sum, length) => sum + length, 0),
      );
      const divided = divideDevices(listed, words, shards);
      return moving(
        divided,
        divided.map(({ devices }) => devices.buffer),
      );
    },
  };
}

/** Divides lists of devices by shard. They follow each other and have that many words, which become bytes. */
type Divide = (listed: Uint32Array, words: readonly number[], shards: number) => ShardDevices[];

export function createDivider(): Divide {
  const findShards = createShardFinder();
  return (listed, words, shards) => {
    swapWords(listed);
    return divide(listed, words, findShards(listed, shards), shards);
  };
}

function divide(
  listed: Uint32Array,
  words: readonly number[],
  shardOf: Uint32Array,
  shards: number,
): ShardDevices[] {
  const sizes = new Uint32Array(shards);
  for (let device = 0; device < shardOf.length; device++) sizes[shardOf[device]!]!++;
  const divided = Array.from(sizes, (size) => ({
    devices: new Uint32Array(size * wordsPerDevice),
    counts: [] as number[],
  }));
  const ends = new Uint32Array(shards);
  let at = 0;
  for (const length of words) {
    const before = ends.slice();
    for (const to = at + length; at < to; at += wordsPerDevice) {
      const shard = shardOf[at / wordsPerDevice]!;
      const into = divided[shard]!.devices;
      const end = ends[shard]!;
      into[end] = listed[at]!;
      into[end + 1] = listed[at + 1]!;
      into[end + 2] = listed[at + 2]!;
      into[end + 3] = listed[at + 3]!;
      ends[shard] = end + wordsPerDevice;
    }
    for (const [shard, { counts }] of divided.entries()) {
      counts.push((ends[shard]! - before[shard]!) / wordsPerDevice);
    }
  }
  return divided;
}

function joined(lists: readonly Extents[]): Extents {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all;
}
