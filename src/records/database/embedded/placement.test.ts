import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { machineHas } from '../../../../test/support/requirements.ts';
import { placeServer } from './placement.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placement-'));
  await chmod(folder, 0o755);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe.runIf(machineHas('root'))('a check that is killed', () => {
  test('fails the start, and leaves no files', async () => {
    const programs = join(folder, 'programs');
    const program = join(programs, 'test');
    await mkdir(programs);
    await writeFile(program, '#!/bin/sh\nkill -KILL $$\n');
    // The umask may deny other users access, and the server's user runs it.
    await Promise.all([programs, program].map((path) => chmod(path, 0o755)));
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    await expect(placeServer(join(dataDir, 'postgres'), folder)).rejects.toThrow('SIGKILL');
    expect(await readdir(dataDir)).toEqual([]);
  });
});
