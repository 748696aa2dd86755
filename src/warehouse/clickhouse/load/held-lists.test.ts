import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createBlockArena } from '../../runs/load/memory/block-arena.ts';
import { createScratchSpace } from '../../runs/load/memory/scratch-space.ts';
import { createExtentReader, type Extents, wordsPerExtent } from '../../runs/load/memory/slots.ts';
import { hexOf, spreadDevice, wordsOfHex } from '../../runs/testing/rows.ts';
import { createHeldLists } from './held-lists.ts';
import type { RunBlock } from './run-blocks.ts';

const devices = Array.from({ length: 6_000 }, (_, i) => spreadDevice(i)).sort();
const listOf = new Map([
  [7n, 0],
  [8n, 0],
  [2n ** 63n, 3],
]);

function block(rows: readonly (readonly [bigint, string])[]): RunBlock {
  return {
    runIds: BigUint64Array.from(rows.map(([runId]) => runId)),
    devices: Uint32Array.from(rows.flatMap(([, device]) => [...wordsOfHex(device)])),
  };
}

it.each([
  ['in memory', 1 << 24],
  ['on disk', 0],
])('keeps the devices of lists as ascending stretches, %s', async (_, memoryBytes) => {
  const sizes = { threads: 1, maxLoads: 1, maxSmallLoads: 0 };
  const arena = createBlockArena({ memoryBytes, ...sizes });
  await using scratch = createScratchSpace(arena, tmpdir());
  const available = arena.available();
  {
    using held = createHeldLists({ scratch, checkSpace: () => undefined }, listOf);
    const of = (runId: bigint, some: readonly string[]) => some.map((it) => [runId, it] as const);
    const [first, second] = [held.openWriter(), held.openWriter()];
    // Out of order, and the same run again.
    await first.add(block([...of(8n, devices.slice(3_000)), ...of(7n, devices.slice(0, 10))]));
    await second.add(block([...of(2n ** 63n, devices.slice(50, 60).reverse())]));
    await first.add(block(of(8n, devices.slice(1_000, 3_000))));
    first.end();
    second.end();

    const read = createExtentReader();
    const readAll = (extents: Extents) => {
      const found: string[] = [];
      for (let at = 0; at < extents.length; at += wordsPerExtent) {
        const some = hexOf(read(scratch.handle(), extents.subarray(at, at + wordsPerExtent)));
        expect(some).toEqual([...some].sort());
        found.push(...some);
      }
      return found.sort();
    };
    const within = (list: number, from: number, to: number) =>
      readAll(held.stretches(list, wordsOfHex(devices[from]!), wordsOfHex(devices[to]!)));

    expect(within(0, 0, 5_999)).toEqual([...devices.slice(0, 10), ...devices.slice(1_000)]);
    expect(within(3, 0, 5_999)).toEqual(devices.slice(50, 60));
    expect(within(1, 0, 5_999)).toEqual([]);
    // Other stretches are left out.
    expect(within(0, 9, 999)).toEqual(devices.slice(0, 10));
    expect(within(0, 10, 999)).toEqual([]);
    const few = within(0, 2_999, 2_999);
    expect(few).toContain(devices[2_999]);
    expect(few.length).toBeLessThan(2_001);

    const writer = held.openWriter();
    await expect(writer.add(block(of(9n, devices)))).rejects.toThrow('run 9');
  }
  expect(arena.available()).toBe(available);
});
