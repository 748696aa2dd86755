import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SchemaNewer } from '../../records/database/schema-version.ts';
import type { Records } from '../../records/records.ts';

/** Waits until a newer Tributary has migrated the database, and logs it; or until aborted. */
export async function untilSchemaIsNewer(
  records: Records,
  log: Logger,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await records.refuseNewerSchema();
    } catch (error) {
      // Claims and recovery already log that the database is unavailable.
      if (error instanceof SchemaNewer) {
        log.error({ err: error }, 'worker outdated: it takes no more jobs');
        return;
      }
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}
