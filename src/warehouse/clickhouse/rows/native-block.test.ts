import { expect, it } from 'vitest';
import { encodeBlock } from './native-block.ts';

it('encodes the columns of a block one after the other, each with its name and type', () => {
  const rows = 300;
  const numbers = Uint32Array.from({ length: rows }, (_, i) => i);
  const chunks = encodeBlock(rows, [
    { name: 'batch', type: 'UInt64', values: new BigUint64Array(rows).fill(1_800_000_000_123n) },
    { name: 'list', type: 'UInt32', values: numbers.subarray(0, rows) },
  ]);
  const bytes = Buffer.concat(chunks);
  // Two columns and 300 rows, as numbers of seven bits in each byte.
  expect([...bytes.subarray(0, 3)]).toEqual([2, 0xac, 0x02]);
  expect(bytes.subarray(3, 16).toString()).toBe('\x05batch\x06UInt64');
  expect(bytes.readBigUInt64LE(16 + 8 * 299)).toBe(1_800_000_000_123n);
  const list = 16 + 8 * rows;
  expect(bytes.subarray(list, list + 12).toString()).toBe('\x04list\x06UInt32');
  expect(bytes.readUInt32LE(list + 12 + 4 * 299)).toBe(299);
  expect(bytes.length).toBe(list + 12 + 4 * rows);
});
