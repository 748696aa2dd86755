import { expect, test } from 'vitest';
import type { RejectedRow } from '../../intake/intake.ts';
import { createRejectWriter } from './reject-writer.ts';

function reject(line: number): RejectedRow {
  return { line, code: 'no_keys', original: new Uint8Array() };
}

test('rows are written in order, in batches of 1,000, one batch at a time', async () => {
  const written: number[][] = [];
  let atOnce = 0;
  const writer = createRejectWriter(async (rejects) => {
    expect(++atOnce).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    written.push(rejects.map(({ line }) => line));
    atOnce--;
    return { kept: rejects.length, isFull: false };
  });
  const lines = Array.from({ length: 2_500 }, (_, i) => i + 1);
  for (const line of lines) writer.add(reject(line));
  expect(await writer.end()).toBe(2_500);
  expect(written.map((batch) => batch.length)).toEqual([1_000, 1_000, 500]);
  expect(written.flat()).toEqual(lines);
});

test('nothing is written for a file without rejected rows', async () => {
  let writes = 0;
  const writer = createRejectWriter(async () => ({ kept: ++writes, isFull: false }));
  expect(await writer.end()).toBe(0);
  expect(writes).toBe(0);
});

test('once there is no space for a row, no row after it is written', async () => {
  const written: number[] = [];
  const writer = createRejectWriter(async (rejects) => {
    written.push(...rejects.slice(0, 700).map(({ line }) => line));
    return { kept: 700, isFull: true };
  });
  for (let line = 1; line <= 2_500; line++) writer.add(reject(line));
  expect(await writer.end()).toBe(700);
  expect(written).toHaveLength(700);
});

test('a failed batch is thrown at the end, and no batch is written after it', async () => {
  let writes = 0;
  const writer = createRejectWriter(async () => {
    writes++;
    throw new Error('database unavailable');
  });
  for (let line = 1; line <= 1_500; line++) writer.add(reject(line));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(writer.end()).rejects.toThrow('database unavailable');
  expect(writes).toBe(1);
});
