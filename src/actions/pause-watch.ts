import type { Records } from '../records/records.ts';
import type { WatchScope } from '../records/watches/watches.ts';
import { watchOnTheWire } from '../wire/watch.ts';
import { emitEvent } from './emit-event.ts';

/** Pauses a watch that cannot continue, and emits `watch.paused`. Call it in a transaction. */
export async function pauseWatch(
  tx: Records,
  { watchId, ...scope }: WatchScope & { readonly watchId: number },
  reason: string,
): Promise<void> {
  if (!(await tx.watches.pause(watchId, reason))) return;
  await emitEvent(tx, scope.partnerId, 'watch.paused', async () => {
    const watch = await tx.watches.find(scope, watchId);
    return watch ? watchOnTheWire(watch) : {};
  });
}
