import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../domain/errors.ts';

/** The folder of the run files. */
export interface RunsFolder {
  checkReady(): Promise<void>;
}

/** Creates the folder if it is missing. */
export async function openRunsFolder(directory: string): Promise<RunsFolder> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw unusable(directory, error);
  }
  return { checkReady: () => checkWritable(directory) };
}

/** Writes a file, because permissions do not reveal a full or read-only disk. */
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
