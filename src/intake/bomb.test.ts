import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, 'testing', 'bomb-program.ts');
const gibibyte = 2 ** 30;

async function burst(compression: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, compression]);
  return JSON.parse(stdout);
}

test.each(['gzip', 'zstd'])('a bomb of %s ends at the limit, in little memory', async (name) => {
  const { bytesRead, memory, ...reading } = (await burst(name)) as Record<string, number>;
  expect(reading).toEqual({ outcome: 'failed', codes: ['bad_compression'] });
  expect(bytesRead).toBeGreaterThan(0.99 * gibibyte);
  expect(bytesRead).toBeLessThanOrEqual(gibibyte);
  // Node itself with two threads takes 150 MB, and the 64 MiB that the bomb is made of are counted.
  expect(memory).toBeLessThan(450e6);
});
