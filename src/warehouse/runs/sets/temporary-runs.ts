import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from '../../../records/warehouse/manifest.ts';

import { createPause } from '../file/pause.ts';
import { createRunFile } from '../file/run-file-writer.ts';
import type { OpenedRun } from '../file/run-opener.ts';
import type { Sets } from './sets.ts';

/**
 * Writes ascending devices to disk as runs that stay readable until `held` is disposed. The file is
 * unlinked once it is open, so it disappears even after a crash.
 */
export async function writeTemporaryRuns(
  { directory, sets }: { directory: string; sets: Sets },
  batches: AsyncIterable<Uint32Array>,
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<readonly OpenedRun[]> {
  const file = `aside-${randomUUID()}.tmp`;
  const pause = createPause(signal);
  const runs: Run[] = [];
  await using writer = await createRunFile(directory, file);
  for await (const devices of batches) {
    if (devices.length === 0) continue;
    runs.push({ runId: 0, segmentId: 0, file, ...(await writer.writeRun(devices, pause)) });
  }
  if (runs.length === 0) return [];
  await writer.finish();
  try {
    return await sets.open(async () => runs, held);
  } finally {
    await rm(join(directory, file), { force: true });
  }
}
