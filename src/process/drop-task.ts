import type { Logger } from 'pino';
import type { ServingConfig } from '../config/config.ts';
import { createArchiveStore } from '../drop/archive-store.ts';
import { createDropClient } from '../drop/client.ts';
import { syncDrop } from '../drop/sync.ts';
import type { SuppressDependencies } from '../jobs/privacy/suppress.ts';
import type { MaintenanceTask } from '../jobs/worker/maintenance.ts';
import type { ObjectStore } from '../objects/port.ts';
import { createDropSuppressions } from './drop-suppressions.ts';

const everyMs = 5_000;

interface DropService extends SuppressDependencies {
  readonly config: Pick<ServingConfig, 'drop'>;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/** Fetches deletion lists from DROP and answers them, if there is a key, and those that the operator brings. */
export function dropTask({ config, objects, log, ...deps }: DropService): MaintenanceTask {
  const { apiKey, url, days, fileBytes: mostBytes } = config.drop;
  const { records } = deps;
  const suppressions = createDropSuppressions(deps);
  const onProblem = (problem: string) => log.warn({ problem }, 'DROP needs attention');
  const store = createArchiveStore(objects);
  const client = apiKey === null ? null : createDropClient(url, apiKey);
  return {
    name: 'drop',
    everyMs,
    run: (signal) =>
      syncDrop({ records, store, suppressions, client, days, mostBytes, onProblem }, signal),
  };
}
