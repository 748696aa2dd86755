import type { Logger } from 'pino';
import { queueWatchedFiles } from '../../actions/queue-watched-files.ts';
import { TributaryError } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import { isUnavailable } from '../worker/job-handler.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';

const everyMs = 1_000;

/** Queues the files of watches, and enters into the ledgers how their jobs have ended. */
export function queueWatches(records: Records, log: Logger): MaintenanceTask {
  return {
    name: 'queue watched files',
    everyMs,
    async run(signal) {
      const total = { queued: 0, loaded: 0, failed: 0, paused: 0 };
      for (const owner of await records.watches.withWork()) {
        signal.throwIfAborted();
        try {
          const done = await queueWatchedFiles(records, owner);
          for (const name of Object.keys(total) as (keyof typeof total)[])
            total[name] += done[name];
        } catch (error) {
          // Access was disabled meanwhile. Anything else but an outage may concern this watch only.
          if (error instanceof TributaryError && error.code === 'forbidden') continue;
          if (isUnavailable(error)) throw error;
          log.warn({ watch: owner.watchId, err: error }, 'watched files not queued');
        }
      }
      return total;
    },
  };
}
