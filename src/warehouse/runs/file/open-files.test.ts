import { fstatSync, readdirSync, readSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createOpenFiles } from './open-files.ts';

it('keeps few of many files open at a time, and closes them all', async () => {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'tributary-open-files-'));
  cleanup.defer(() => rm(directory, { recursive: true }));
  const paths = Array.from({ length: 30 }, (_, i) => join(directory, `${i}`));
  for (const [i, path] of paths.entries()) await writeFile(path, String.fromCharCode(65 + i));
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  const files = createOpenFiles();
  const byte = new Uint8Array(1);
  const first = files.open(paths[0]!);
  for (const [i, path] of paths.entries()) {
    readSync(files.open(path), byte, 0, 1, 0);
    expect(byte[0]).toBe(65 + i);
    expect(files.open(paths[0]!)).toBe(first);
  }
  expect(descriptors() - before).toBeLessThanOrEqual(8);
  files.close();
  expect(() => fstatSync(first)).toThrow('EBADF');
  expect(descriptors()).toBe(before);
});
