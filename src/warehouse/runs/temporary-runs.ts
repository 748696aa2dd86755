import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskReserve } from '../../domain/disk-reserve.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import { keepRegistered } from '../keep-registered.ts';
import { createPause } from './file/pause.ts';
import { createRunFile } from './file/run-file-writer.ts';
import type { OpenedRun } from './file/run-opener.ts';
import type { Sets } from './sets/sets.ts';

export interface TemporaryRunsDependencies {
  readonly directory: string;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
  readonly runFiles: Pick<RunFiles, 'register' | 'renew'>;
}

/**
 * Writes ascending devices to disk as runs that stay readable until `held` is disposed. The file is
 * registered while it is written, and unlinked once it is open. The sweep removes its record, and
 * after a crash the file.
 */
export async function writeTemporaryRuns(
  { directory, sets, runFiles, reserve }: TemporaryRunsDependencies,
  batches: AsyncIterable<Uint32Array>,
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<readonly OpenedRun[]> {
  const file = `aside-${randomUUID()}.parquet`;
  const pause = createPause(signal);
  const runs: Run[] = [];
  await runFiles.register({ file, jobId: null, attempt: null });
  using registration = keepRegistered(runFiles, file);
  await using writer = await createRunFile(directory, file, reserve);
  for await (const devices of batches) {
    if (devices.length === 0) continue;
    runs.push({ runId: 0, segmentId: 0, file, ...(await writer.writeRun(devices, pause)) });
  }
  if (runs.length === 0) return [];
  await registration.check();
  await writer.finish();
  try {
    return await sets.open(async () => runs, held);
  } finally {
    await rm(join(directory, file), { force: true });
  }
}
