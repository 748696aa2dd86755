import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { TendedWarehouse } from '../port.ts';
import { createLoader } from './load/loader.ts';
import { createSetVerbs } from './sets/set-verbs.ts';

export interface RunsWarehouseOptions {
  /** Where the run files lie; made if it is not there. */
  readonly directory: string;
  readonly records: Pick<Records, 'manifest' | 'runFiles' | 'universe' | 'inTransaction'>;
  readonly threads: number;
  /** What rows of all loads under way take in memory; the rest goes to disk. */
  readonly memoryBytes: number;
}

/** The embedded engine: segments as sorted runs in Parquet files. */
export async function openRunsWarehouse(options: RunsWarehouseOptions): Promise<TendedWarehouse> {
  const { directory, records, threads, memoryBytes } = options;
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw unusable(directory, error);
  }
  const { manifest, runFiles } = records;
  const loader = createLoader({ directory, manifest, runFiles, threads, memoryBytes });
  const verbs = createSetVerbs({ directory, records, threads });
  return {
    ...verbs,
    beginLoad: loader.beginLoad,
    checkReady: () => checkWritable(directory),
    async [Symbol.asyncDispose]() {
      await Promise.all([loader[Symbol.asyncDispose](), verbs[Symbol.asyncDispose]()]);
    },
  };
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
