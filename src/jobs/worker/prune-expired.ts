import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 10 * 60 * 1000;
const rejectDays = 30;
const idempotencyHours = 24;

/**
 * Forgets what is kept for a time only: rejected rows, the answers to idempotency keys, the keys that
 * upload links were signed with, the console's sessions, attempts to sign in, and what the
 * authorization server has issued.
 */
export function pruneExpired(records: Records): MaintenanceTask {
  return {
    name: 'prune expired records',
    everyMs,
    async run() {
      return {
        rejects: await records.rejects.prune(rejectDays),
        idempotencyKeys: await records.idempotency.prune(idempotencyHours),
        uploadCredentials: await records.storageCredentials.prune(),
        sessions: await records.consoleSessions.prune(),
        signInAttempts: await records.signInAttempts.prune(),
        oauthState: await records.oauthState.prune(),
        oauthGrants: await records.oauthGrants.prune(),
        oauthKeys: await records.oauthKeys.prune(),
      };
    },
  };
}
