import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeDevices } from '../../../runs/devices/device-words.ts';
import { hexOf, spreadDevice, wordsOfHex } from '../../../runs/testing/rows.ts';
import { createShardFinder } from './shard-of-device.ts';
import { createShardTasks } from './shard-tasks.ts';

const slotWords = 40;

/** Lists of devices in slots, one list after the other. */
function scratchWith(lists: readonly (readonly string[])[]) {
  const memory = new Uint32Array(new SharedArrayBuffer(64 * slotWords * 4));
  let slots = 0;
  const extents = lists.map((list) => {
    const words = Uint32Array.from(list.flatMap((device) => [...wordsOfHex(device)]));
    const found: number[] = [];
    for (let at = 0; at < words.length; at += slotWords) {
      const some = words.subarray(at, at + slotWords);
      memory.set(some, slots * slotWords);
      found.push(slots++, 0, some.length);
    }
    return Int32Array.from(found);
  });
  const spillSlots = new Int32Array(new SharedArrayBuffer(4));
  return { scratch: { memory, slotWords, spillSlots, spillFd: -1 }, extents };
}

const devices = Array.from({ length: 60 }, (_, i) => spreadDevice(i)).sort();

function shardOf(device: string, shards: number): number {
  const bytes = encodeDevices(wordsOfHex(device));
  return createShardFinder()(new Uint32Array(bytes.buffer), shards)[0]!;
}

function hexOfBytes(words: Uint32Array): string[] {
  return (
    Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('hex').match(/.{32}/g) ??
    []
  );
}

it.each([1, 3])(
  'divides lists by %i shards, in order and without devices to leave out',
  (shards) => {
    const lists = [devices, devices.slice(10, 20), [], devices.slice(30)];
    const leftOut = [devices[0]!, ...devices.slice(12, 35), devices[59]!];
    const held = [devices.slice(40, 50), [], [], devices.slice(5, 45)];
    const { scratch, extents } = scratchWith([...lists, ...held, leftOut]);
    for (const isAll of [true, false]) {
      const divided = createShardTasks().encodeDevices({
        scratch,
        lists: lists.map((_, i) => ({
          devices: extents[i]!,
          held: isAll ? new Int32Array(0) : extents[lists.length + i]!,
        })),
        leftOut: isAll ? new Int32Array(0) : extents.at(-1)!,
        shards,
      });
      expect(divided).toHaveLength(shards);
      const isStored = (device: string, list: number) =>
        isAll || !(leftOut.includes(device) || held[list]!.includes(device));
      for (const [shard, { devices: stored, counts }] of divided.entries()) {
        const expected = lists.map((list, i) =>
          list.filter((device) => shardOf(device, shards) === shard && isStored(device, i)),
        );
        expect(counts).toEqual(expected.map(({ length }) => length));
        expect(hexOfBytes(stored)).toEqual(expected.flat());
      }
    }
    // The lists themselves are not changed.
    expect(hexOf(scratch.memory.slice(0, slotWords))).toEqual(devices.slice(0, 10));
  },
);

it('leaves out devices that many spilled stretches hold', () => {
  const list = Array.from({ length: 300 }, (_, i) => spreadDevice(i)).sort();
  const { scratch, extents } = scratchWith([list]);
  const folder = mkdtempSync(join(tmpdir(), 'tributary-'));
  const spillFd = openSync(join(folder, 'spill'), 'w+');
  try {
    // Every other device, each as a stretch of its own, the last one first.
    const known = list.filter((_, i) => i % 2 === 0).reverse();
    const words = Uint32Array.from(known.flatMap((device) => [...wordsOfHex(device)]));
    writeSync(spillFd, words);
    const held = known.flatMap((_, i) => {
      const at = i * 4;
      return [-1 - Math.floor(at / slotWords), at % slotWords, 4];
    });
    const lists = [{ devices: extents[0]!, held: Int32Array.from(held) }];
    const [all] = createShardTasks().encodeDevices({
      scratch: { ...scratch, spillFd },
      lists,
      leftOut: new Int32Array(0),
      shards: 1,
    });
    expect(hexOfBytes(all!.devices)).toEqual(list.filter((_, i) => i % 2 === 1));
  } finally {
    closeSync(spillFd);
    rmSync(folder, { recursive: true });
  }
});
