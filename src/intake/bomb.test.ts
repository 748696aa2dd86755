import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, 'testing', 'bomb-program.ts');
const gibibyte = 2 ** 30;

async function readBomb(compression: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, compression]);
  return JSON.parse(stdout);
}

test.each(['gzip', 'zstd'])('a %s bomb stops at the limit and uses little memory', async (name) => {
  const { bytesRead, memory, ...reading } = (await readBomb(name)) as Record<string, number>;
  expect(reading).toEqual({ outcome: 'failed', codes: ['bad_compression'] });
  expect(bytesRead).toBeGreaterThan(0.99 * gibibyte);
  expect(bytesRead).toBeLessThanOrEqual(gibibyte);
  // Includes 150 MB for Node with two threads, and 64 MiB from building the bomb.
  expect(memory).toBeLessThan(450e6);
});
