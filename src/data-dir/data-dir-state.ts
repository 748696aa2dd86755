import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../domain/errors.ts';

/** What the data dir says about itself. Null: nothing yet. */
export interface DataDirState {
  readonly installation: string | null;
  readonly mark: string | null;
  /** The newest change of the database that its files belong to. */
  readonly changes: number | null;
}

/** Reads without a change, also while a service uses the data dir. */
export async function readDataDirState(path: string): Promise<DataDirState> {
  const changes = Number(await lineOf('changes'));
  return {
    installation: await lineOf('installation'),
    mark: await lineOf('mark'),
    changes: changes > 0 ? changes : null,
  };

  async function lineOf(name: string): Promise<string | null> {
    const text = await readFile(join(path, name), 'utf8').catch((error) => {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    });
    return text.trim() || null;
  }
}
