import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 10 * 60 * 1000;

/** For how many days records are kept. */
interface Retention {
  readonly jobDays: number;
  readonly progressDays: number;
  readonly auditDays: number;
  readonly auditReadDays: number;
  readonly auditObjectDays: number;
}

const defaultRetention: Retention = {
  jobDays: limits.jobDays.most,
  progressDays: limits.progressDays.most,
  auditDays: limits.auditDays.most,
  auditReadDays: limits.auditReadDays.most,
  auditObjectDays: limits.auditObjectDays.most,
};

/**
 * Deletes expired records: rejected rows, entries of watches whose files are gone, old jobs, their progress and their counts by day, findings of access requests, old
 * entries of the audit log, contents reported on long ago, counts of suppliers that no report needs,
 * responses saved for idempotency keys, keys of upload links, console sessions, password links, sign-in
 * attempts, events of webhooks, webhooks that were removed, secrets that ended, and everything issued by the
 * authorization server.
 */
export function pruneExpired(records: Records, retention = defaultRetention): MaintenanceTask {
  return {
    name: 'prune expired records',
    everyMs,
    async run() {
      return {
        rejects: await records.rejects.prune(limits.rejectDays.most),
        progress: await records.jobRetention.pruneProgress(retention.progressDays),
        jobs: await records.jobRetention.pruneJobs(retention.jobDays, limits.listedImportLogs.most),
        watchFiles: await records.watches.prune(limits.watchLedgerDays.most),
        jobDays: await records.jobDays.prune(limits.trendDays.most),
        findings: await records.privacyRequests.pruneFindings(limits.accessDays.most),
        auditEntries: await records.auditLog.prune(retention),
        reportedContents: await records.reportedContents.prune(),
        supplierBaselines: await records.baselines.prune(),
        idempotencyKeys: await records.idempotency.prune(limits.idempotencyHours.most),
        uploadCredentials: await records.storageCredentials.prune(),
        sessions: await records.consoleSessions.prune(),
        passwordLinks: await records.passwordLinks.prune(),
        signInAttempts: await records.signInAttempts.prune(),
        webhookEvents: await records.webhookDeliveries.prune(limits.webhookDays.most),
        webhooks: await records.webhooks.deleteRemoved(),
        webhookSecrets: await records.webhooks.pruneSecrets(),
        oauthState: await records.oauthState.prune(),
        oauthGrants: await records.oauthGrants.prune(),
        oauthKeys: await records.oauthKeys.prune(),
      };
    },
  };
}
