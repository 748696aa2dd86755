import { expect, it } from 'vitest';
import { encodeBlock } from '../rows/native-block.ts';
import { createRunBlockReader } from './run-blocks.ts';

function blockOf(rows: number): Uint8Array {
  const runIds = BigUint64Array.from({ length: rows }, (_, i) => (1n << 63n) + BigInt(i));
  const bytes = Uint8Array.from({ length: rows * 16 }, (_, i) => i % 251);
  return Buffer.concat(
    encodeBlock(rows, [
      { name: 'run_id', type: 'UInt64', values: runIds },
      { name: 'device', type: 'FixedString(16)', values: bytes },
    ]),
  );
}

/** The bytes in chunks of that size, as blocks. */
async function read(bytes: Uint8Array, chunkBytes: number) {
  const blocks: { ids: bigint[]; words: number[] }[] = [];
  const reader = createRunBlockReader(async ({ runIds, devices }) => {
    blocks.push({ ids: [...runIds], words: [...devices] });
  });
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    await reader.take(bytes.subarray(at, at + chunkBytes));
  }
  reader.end();
  return blocks;
}

it.each([1, 7, 1_000, 1_000_000])('reads blocks from chunks of %i bytes', async (chunkBytes) => {
  const sizes = [300, 0, 1, 40];
  const blocks = await read(Buffer.concat(sizes.map(blockOf)), chunkBytes);
  expect(blocks.map(({ ids }) => ids.length)).toEqual([300, 1, 40]);
  const { ids, words } = blocks[0]!;
  expect(ids.at(-1)).toBe((1n << 63n) + 299n);
  expect(words).toHaveLength(300 * 4);
  // The first bytes of a device are the highest of its first word.
  expect(words.slice(0, 2)).toEqual([0x00_01_02_03, 0x04_05_06_07]);
});

it('refuses other columns, and results that are cut short', async () => {
  const bytes = blockOf(3);
  await expect(read(bytes.subarray(0, -1), 64)).rejects.toThrow('within a block');
  await expect(read(bytes.subarray(0, 1), 64)).rejects.toThrow('within a block');
  const renamed = Buffer.from(bytes);
  renamed.write('other!', renamed.indexOf('device'));
  await expect(read(renamed, 64)).rejects.toThrow('unexpected columns');
  await expect(read(Buffer.concat([Uint8Array.of(3), bytes]), 64)).rejects.toThrow(
    'unexpected columns',
  );
});
