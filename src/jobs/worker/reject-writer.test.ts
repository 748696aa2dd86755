import { expect, test } from 'vitest';
import type { RejectedRow } from '../../intake/intake.ts';
import { createRejectWriter } from './reject-writer.ts';

function reject(line: number): RejectedRow {
  return { line, code: 'no_keys', original: new Uint8Array() };
}

test('rows are written in their order, a thousand at a time, one batch after the other', async () => {
  const written: number[][] = [];
  let atOnce = 0;
  const writer = createRejectWriter(async (rejects) => {
    expect(++atOnce).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    written.push(rejects.map(({ line }) => line));
    atOnce--;
  });
  const lines = Array.from({ length: 2_500 }, (_, i) => i + 1);
  for (const line of lines) writer.add(reject(line));
  await writer.end();
  expect(written.map((batch) => batch.length)).toEqual([1_000, 1_000, 500]);
  expect(written.flat()).toEqual(lines);
});

test('a file without rejected rows writes nothing', async () => {
  let writes = 0;
  await createRejectWriter(async () => {
    writes++;
  }).end();
  expect(writes).toBe(0);
});

test('a batch that cannot be written is told at the end, and nothing comes after it', async () => {
  let writes = 0;
  const writer = createRejectWriter(async () => {
    writes++;
    throw new Error('the database is away');
  });
  for (let line = 1; line <= 1_500; line++) writer.add(reject(line));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(writer.end()).rejects.toThrow('the database is away');
  expect(writes).toBe(1);
});
