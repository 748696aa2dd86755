import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Disk extends AsyncDisposable {
  readonly path: string;
  /** Mounts it again with other options, while it is in use. */
  remount(options: string): Promise<void>;
}

/** A file system mounted with these options. Needs root. */
export async function mountDisk(options: string): Promise<Disk> {
  const path = await mkdtemp(join(tmpdir(), 'tributary-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  return {
    path,
    async remount(others) {
      await run('mount', ['-o', `remount,${others}`, path]);
    },
    async [Symbol.asyncDispose]() {
      await run('umount', [path]);
      await rm(path, { recursive: true });
    },
  };
}
