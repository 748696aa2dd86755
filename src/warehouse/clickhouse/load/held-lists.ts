import type { SpaceCheck } from '../../../domain/disk-reserve.ts';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { compareDevices } from '../../runs/devices/device-words.ts';
import { extendArray } from '../../runs/devices/grow-array.ts';
import type { ScratchSpace } from '../../runs/load/memory/scratch-space.ts';
import { type Extents, wordsPerExtent, writeSlot } from '../../runs/load/memory/slots.ts';
import type { RunBlock } from './run-blocks.ts';

/**
 * Devices that runs hold, by list. Servers return most rows of a run in order, so nothing is sorted here: a
 * list consists of stretches of ascending devices, in any order.
 */
export interface HeldLists extends Disposable {
  /** Adds the rows of one result. */
  openWriter(): HeldWriter;
  /** The stretches of a list that may hold devices between `first` and `last`, each as one extent. */
  stretches(list: number, first: Uint32Array, last: Uint32Array): Extents;
}

interface HeldWriter {
  add(block: RunBlock): Promise<void>;
  /** Called after the last block. */
  end(): void;
}

/** Where the devices are stored, which may be on disk. */
interface HeldSpace {
  readonly scratch: ScratchSpace;
  readonly checkSpace: SpaceCheck;
}

interface Stretches {
  readonly extents: number[];
  /** The first and the last device of each extent. */
  bounds: Uint32Array<ArrayBuffer>;
}

const wordsPerBounds = 2 * wordsPerDevice;
const noStretches: Stretches = { extents: [], bounds: new Uint32Array(0) };

/** `listOf`: the list of each run. */
export function createHeldLists(
  { scratch, checkSpace }: HeldSpace,
  listOf: ReadonlyMap<bigint, number>,
): HeldLists {
  const { slotWords } = scratch;
  const lists = new Map<number, Stretches>();
  const taken: number[] = [];

  /** Adds devices of a run, which are in the slot from that word on. */
  function addStretch(runId: bigint, slot: number, from: number, devices: Uint32Array): void {
    const list = listOf.get(runId);
    if (list === undefined)
      throw new Error(`a shard returned run ${runId}, which was not selected`);
    const found = lists.get(list) ?? { extents: [], bounds: new Uint32Array(0) };
    lists.set(list, found);
    const end = (found.extents.length / wordsPerExtent) * wordsPerBounds;
    found.extents.push(slot, from, devices.length);
    found.bounds = extendArray(found.bounds, end, end + wordsPerBounds);
    found.bounds.set(devices.subarray(0, wordsPerDevice), end);
    found.bounds.set(devices.subarray(-wordsPerDevice), end + wordsPerDevice);
  }

  function openWriter(): HeldWriter {
    const memory = new Uint32Array(slotWords);
    let slot: number | null = null;
    let filled = 0;

    function flush(): void {
      if (slot !== null) writeSlot(scratch.handle(), slot, memory.subarray(0, filled));
      slot = null;
      filled = 0;
    }

    async function takeSlot(): Promise<number> {
      await checkSpace(memory.byteLength);
      const [next] = await scratch.takeSlots(1);
      taken.push(next!);
      return next!;
    }

    return {
      async add(block) {
        const { runIds, devices } = block;
        for (let at = 0; at < devices.length; ) {
          const end = stretchEnd(block, at);
          const runId = runIds[at / wordsPerDevice]!;
          while (at < end) {
            if (filled === slotWords) flush();
            slot ??= await takeSlot();
            const some = devices.subarray(at, Math.min(end, at + slotWords - filled));
            memory.set(some, filled);
            addStretch(runId, slot, filled, some);
            filled += some.length;
            at += some.length;
          }
        }
      },
      end: flush,
    };
  }

  return {
    openWriter,
    stretches(list, first, last) {
      const { extents, bounds } = lists.get(list) ?? noStretches;
      const found: number[] = [];
      for (let i = 0, at = 0; i < extents.length; i += wordsPerExtent, at += wordsPerBounds) {
        if (compareDevices(bounds, at, last, 0) > 0) continue;
        if (compareDevices(bounds, at + wordsPerDevice, first, 0) < 0) continue;
        found.push(extents[i]!, extents[i + 1]!, extents[i + 2]!);
      }
      return Int32Array.from(found);
    },
    [Symbol.dispose]() {
      scratch.release(taken);
    },
  };
}

/** The end of the ascending devices of one run that begin at word `from`. */
function stretchEnd({ runIds, devices }: RunBlock, from: number): number {
  const halves = new Uint32Array(runIds.buffer, runIds.byteOffset, 2 * runIds.length);
  const low = halves[from / 2]!;
  const high = halves[from / 2 + 1]!;
  let at = from + wordsPerDevice;
  while (at < devices.length) {
    if (halves[at / 2] !== low || halves[at / 2 + 1] !== high) break;
    const before = at - wordsPerDevice;
    if (devices[before]! >= devices[at]! && compareDevices(devices, before, devices, at) >= 0)
      break;
    at += wordsPerDevice;
  }
  return at;
}
