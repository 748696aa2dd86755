import { setTimeout as sleep } from 'node:timers/promises';
import type { Records } from '../../records/records.ts';

/** Waits until the device sets have left the place of this copy. False if the wait was aborted. */
export async function untilMoved(
  { warehouseCopies }: Pick<Records, 'warehouseCopies'>,
  copyId: number | null,
  everyMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      if ((await warehouseCopies.currentCopy()) !== copyId) return true;
    } catch {
      // Claims and recovery already log that the database is unavailable.
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
  return false;
}
