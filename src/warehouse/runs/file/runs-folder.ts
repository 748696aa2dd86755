import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../domain/errors.ts';

/** The folder that the run files lie in. */
export interface RunsFolder {
  checkReady(): Promise<void>;
}

/** Makes it if it is not there. */
export async function openRunsFolder(directory: string): Promise<RunsFolder> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw unusable(directory, error);
  }
  return { checkReady: () => checkWritable(directory) };
}

/** By writing, for permissions do not tell of a full or a read-only disk. */
async function checkWritable(directory: string): Promise<void> {
  const probe = join(directory, `ready-${randomUUID()}.tmp`);
  try {
    await writeFile(probe, 'ready').finally(() => rm(probe, { force: true }));
  } catch (error) {
    throw unusable(directory, error);
  }
}

function unusable(directory: string, cause: unknown): Error {
  return new Error(`the warehouse cannot write to ${directory}: ${messageOf(cause)}`, { cause });
}
