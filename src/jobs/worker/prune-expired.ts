import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 10 * 60 * 1000;

/**
 * Deletes expired records: rejected rows, responses saved for idempotency keys, keys of upload links,
 * console sessions, sign-in attempts, and everything issued by the authorization server.
 */
export function pruneExpired(records: Records): MaintenanceTask {
  return {
    name: 'prune expired records',
    everyMs,
    async run() {
      return {
        rejects: await records.rejects.prune(limits.rejectDays.most),
        idempotencyKeys: await records.idempotency.prune(limits.idempotencyHours.most),
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
