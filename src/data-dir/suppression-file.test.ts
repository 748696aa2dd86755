import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSuppressionFile } from './suppression-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-suppressions-'));
  path = join(folder, 'suppressions');
});
afterEach(() => rm(folder, { recursive: true }));

const entry = (byte: number, count = 1, isLifted = false) => ({
  digests: Buffer.alloc(16 * count, byte),
  isLifted,
});

async function read(from = 0) {
  let damaged = 0;
  const file = openSuppressionFile(folder);
  const [part] = await Array.fromAsync(file.parts());
  const entries = await Array.fromAsync(file.read(part!, from, () => damaged++));
  return { entries, damaged };
}

test('there is no file until something is suppressed', async () => {
  const file = openSuppressionFile(folder);
  expect(await file.end()).toBeNull();
  expect(await Array.fromAsync(file.parts())).toEqual([]);
});

test('what was appended is read again, from any position', async () => {
  const file = openSuppressionFile(folder);
  const first = await file.append([entry(1), entry(2, 1, true)]);
  // Another process.
  const second = await openSuppressionFile(folder).append([entry(3, 5_000)]);
  expect(second.journalId).toBe(first.journalId);
  expect(await file.end()).toEqual(second);
  expect((await stat(path)).size).toBe(second.bytes);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { entries, damaged } = await read(first.bytes);
  expect(Buffer.concat(entries.map(({ digests }) => digests))).toEqual(entry(3, 5_000).digests);
  expect(damaged).toBe(0);
  expect((await read()).entries.slice(0, 2)).toEqual([entry(1), entry(2, 1, true)]);
});

test('many processes may append at once', async () => {
  const files = Array.from({ length: 8 }, () => openSuppressionFile(folder));
  await Promise.all(files.map((file, byte) => file.append([entry(byte, 2_000)])));
  const { entries, damaged } = await read();
  expect(damaged).toBe(0);
  expect(entries.map(({ digests }) => digests[0]).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('a line that a crash cut off is skipped, and the next ones are read', async () => {
  const file = openSuppressionFile(folder);
  const first = await file.append([entry(1)]);
  const { bytes } = await file.append([entry(2, 100)]);
  for (const cut of [bytes - 1, bytes - 20, first.bytes + 1]) {
    await truncate(path, cut);
    await file.append([entry(3)]);
    const { entries, damaged } = await read();
    expect([entries.at(0), entries.at(-1)]).toEqual([entry(1), entry(3)]);
    // Without its line break alone, a line is complete.
    expect(damaged).toBe(cut === bytes - 1 ? 0 : 1);
    await truncate(path, first.bytes);
    await file.append([entry(2, 100)]);
  }
});

test('a changed line is skipped', async () => {
  const file = openSuppressionFile(folder);
  await file.append([entry(1), entry(2)]);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('+0101', '+0102'));
  expect(await read()).toEqual({ entries: [entry(2)], damaged: 1 });
});

test('a file that is something else is refused', async () => {
  await appendFile(path, 'something else\n');
  const file = openSuppressionFile(folder);
  await expect(file.append([entry(1)])).rejects.toThrow('is damaged');
  await expect(file.end()).rejects.toThrow('is damaged');
});
