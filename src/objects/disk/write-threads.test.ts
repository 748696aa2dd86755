import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChecksumName, checksumAlgorithms } from '../checksum-algorithms.ts';
import { type Digests, startDigests } from '../content.ts';
import { blockBytes } from './blocks.ts';
import { createWriteTasks } from './write-tasks.ts';
import { createWriteThreads } from './write-threads.ts';

const names = Object.keys(checksumAlgorithms) as ChecksumName[];
const threads = createWriteThreads();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-threads-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(path: string, bytes: Uint8Array): Promise<Digests> {
  await using file = await open(path, 'wx');
  using writer = threads.open(file, names);
  const stored: Promise<void>[] = [];
  for (let from = 0; from < bytes.length; from += blockBytes) {
    const block = new Uint8Array(new SharedArrayBuffer(Math.min(blockBytes, bytes.length - from)));
    block.set(bytes.subarray(from, from + blockBytes));
    stored.push(writer.store(block, from));
  }
  await Promise.all(stored);
  return writer.finish();
}

function digestsOf(bytes: Uint8Array): Promise<Digests> {
  const digests = startDigests(names);
  digests.update(bytes);
  return digests.finish();
}

const hexOf = (digests: Digests) =>
  names.map((name) => Buffer.from(digests[name]!).toString('hex'));

test('files that are written at the same time have their bytes and checksums', async () => {
  const sizes = [0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 7 * blockBytes];
  await Promise.all(
    sizes.map(async (size) => {
      const bytes = randomBytes(size);
      const path = join(folder, String(size));
      expect(hexOf(await write(path, bytes))).toEqual(hexOf(await digestsOf(bytes)));
      expect(bytes.equals(await readFile(path))).toBe(true);
    }),
  );
});

test('the error of a write has its code', async () => {
  await using file = await open(join(folder, '1'), 'r');
  using writer = threads.open(file, names);
  const block = new Uint8Array(new SharedArrayBuffer(blockBytes));
  await expect(writer.store(block, 0)).rejects.toMatchObject({ code: 'EBADF' });
  using short = threads.open(file, names);
  await expect(short.store(block.subarray(1), 0)).rejects.toMatchObject({ code: 'EBADF' });
});

test('a thread that replaced another one does not continue its file', () => {
  const { store } = createWriteTasks();
  expect(() => store({ id: 1, bytes: Buffer.from('x'), position: 0 })).toThrow(
    'the thread that wrote the file ended',
  );
});

test('a thread forgets a file that was dropped', () => {
  const { begin, drop, finish } = createWriteTasks();
  begin({ id: 1, fd: 0, names });
  drop(1);
  expect(() => finish(1)).toThrow('ended');
});
