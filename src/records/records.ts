import { sql } from 'kysely';
import { type Access, createAccess } from './access/access.ts';
import { type AdminTokens, createAdminTokens } from './access/admin-tokens.ts';
import { type ApiKeys, createApiKeys } from './access/api-keys.ts';
import { type AuditLog, createAuditLog } from './access/audit-log.ts';
import { type ConsoleSessions, createConsoleSessions } from './access/console-sessions.ts';
import { type Customers, createCustomers } from './access/customers.ts';
import { createOauthApps, type OauthApps } from './access/oauth-apps.ts';
import { createOauthGrants, type OauthGrants } from './access/oauth-grants.ts';
import { createOauthKeys, type OauthKeys } from './access/oauth-keys.ts';
import { createOauthState, type OauthState } from './access/oauth-state.ts';
import { createPartners, type Partners } from './access/partners.ts';
import { createPasswordLinks, type PasswordLinks } from './access/password-links.ts';
import { createRemovals, type Removals } from './access/removals.ts';
import { createSignInAttempts, type SignInAttempts } from './access/sign-in-attempts.ts';
import { createStorageCredentials, type StorageCredentials } from './access/storage-credentials.ts';
import { createUsage, type UsageRecord } from './access/usage.ts';
import { createUserTokens, type UserTokens } from './access/user-tokens.ts';
import { createUsers, type Users } from './access/users.ts';
import { type AudienceFilesRecord, createAudienceFiles } from './audiences/audience-files.ts';
import { type AudienceHistory, createAudienceHistory } from './audiences/audience-history.ts';
import { type AudienceLabels, createAudienceLabels } from './audiences/audience-labels.ts';
import { type AudienceLoads, createAudienceLoads } from './audiences/audience-loads.ts';
import { type AudienceProblems, createAudienceProblems } from './audiences/audience-problems.ts';
import { type AudienceRejects, createAudienceRejects } from './audiences/audience-rejects.ts';
import { type Audiences, createAudiences } from './audiences/audiences.ts';
import { type Baselines, createBaselines } from './audiences/baselines.ts';
import { type Compositions, createCompositions } from './audiences/compositions.ts';
import { createRecentAudiences, type RecentAudiences } from './audiences/recent-audiences.ts';
import { createReportedContents, type ReportedContents } from './audiences/reported-contents.ts';
import { type Backups, createBackups } from './database/backups.ts';
import { atomically, type Database } from './database/connection.ts';
import { createDataChanges, type DataChanges } from './database/data-changes.ts';
import {
  type ExclusiveWork,
  lockTaken,
  runExclusively,
  tryExclusively,
} from './database/exclusive-lock.ts';
import { createInstallation, type Installation } from './database/installation.ts';
import { createPlaces, type Places } from './database/places.ts';
import { refuseNewerSchema, schemaVersion, supportedSchema } from './database/schema-version.ts';
import type { Sealing } from './database/sealing.ts';
import { readServerState, type ServerState } from './database/server-state.ts';
import { type Attributes, createAttributes } from './marketplace/attributes.ts';
import { createImportFiles, type ImportFiles } from './marketplace/import-files.ts';
import { createImportLogs, type ImportLogs } from './marketplace/import-logs.ts';
import { createObjectIndex, type ObjectIndex } from './objects/object-index.ts';
import { createStorageUses, type StorageUses } from './objects/storage-use.ts';
import { createUploads, type Uploads } from './objects/uploads.ts';
import { type PendingDeletions, readPendingDeletions } from './pending-deletions.ts';
import { createDeviceLookups, type DeviceLookups } from './privacy/device-lookups.ts';
import { createDropCycles, type DropCycles } from './privacy/drop-cycles.ts';
import { createDropFiles, type DropFiles } from './privacy/drop-files.ts';
import { createDropSchedule, type DropSchedule } from './privacy/drop-schedule.ts';
import { createErasedRows, type ErasedRows } from './privacy/erased-rows.ts';
import { createPrivacyRequests, type PrivacyRequests } from './privacy/privacy-requests.ts';
import {
  createSuppressionJournals,
  type SuppressionJournals,
} from './privacy/suppression-journals.ts';
import { type AllJobs, createAllJobs } from './queue/all-jobs.ts';
import { createIdempotency, type Idempotency } from './queue/idempotency.ts';
import { createJobDays, type JobDays } from './queue/job-days.ts';
import { createJobParts, type JobParts } from './queue/job-parts.ts';
import { createJobProgress, type JobProgressRecord } from './queue/job-progress.ts';
import { createJobRetention, type JobRetention } from './queue/job-retention.ts';
import { createJobs, type Jobs } from './queue/jobs.ts';
import { createLoadedFiles, type LoadedFiles } from './queue/loaded-files.ts';
import { createRecentJobs, type RecentJobs } from './queue/recent-jobs.ts';
import { createRejects, type Rejects } from './queue/rejects.ts';
import { createReportedValues, type ReportedValues } from './queue/reported-values.ts';
import { createSealedSecrets, type SealedSecrets } from './sealed-secrets.ts';
import { type AttributeHistory, createAttributeHistory } from './warehouse/attribute-history.ts';
import { boundToPlace } from './warehouse/bound-to-place.ts';
import { createDamagedRuns, type DamagedRuns } from './warehouse/damaged-runs.ts';
import { createManifest, type Manifest } from './warehouse/manifest.ts';
import { createProfiles, type Profiles } from './warehouse/profiles.ts';
import { createRunFiles, type RunFiles } from './warehouse/run-files.ts';
import { createSegments, type Segments } from './warehouse/segments.ts';
import { createSuppression, type Suppression } from './warehouse/suppression.ts';
import { createUniverse, type UniverseRecord } from './warehouse/universe.ts';
import { createWarehouseCopies, type WarehouseCopies } from './warehouse/warehouse-copies.ts';
import { createWatchFiles, type WatchFiles } from './watches/watch-files.ts';
import { createWatches, type Watches } from './watches/watches.ts';
import { createWebhookDeliveries, type WebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { createWebhookEvents, type WebhookEvents } from './webhooks/webhook-events.ts';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';

/** All records of the service, over one database or one transaction. */
export interface Records {
  readonly access: Access;
  readonly removals: Removals;
  readonly partners: Partners;
  readonly apiKeys: ApiKeys;
  readonly customers: Customers;
  readonly userTokens: UserTokens;
  readonly users: Users;
  readonly consoleSessions: ConsoleSessions;
  readonly passwordLinks: PasswordLinks;
  readonly signInAttempts: SignInAttempts;
  readonly oauthApps: OauthApps;
  readonly oauthGrants: OauthGrants;
  readonly oauthState: OauthState;
  readonly oauthKeys: OauthKeys;
  readonly attributes: Attributes;
  readonly attributeHistory: AttributeHistory;
  readonly segments: Segments;
  readonly jobs: Jobs;
  readonly jobProgress: JobProgressRecord;
  readonly jobParts: JobParts;
  readonly recentJobs: RecentJobs;
  readonly allJobs: AllJobs;
  readonly jobDays: JobDays;
  readonly loadedFiles: LoadedFiles;
  readonly jobRetention: JobRetention;
  readonly importLogs: ImportLogs;
  readonly importFiles: ImportFiles;
  readonly rejects: Rejects;
  readonly reportedValues: ReportedValues;
  readonly audiences: Audiences;
  readonly recentAudiences: RecentAudiences;
  readonly audienceLabels: AudienceLabels;
  readonly audienceLoads: AudienceLoads;
  readonly audienceFiles: AudienceFilesRecord;
  readonly audienceProblems: AudienceProblems;
  readonly audienceRejects: AudienceRejects;
  readonly compositions: Compositions;
  readonly audienceHistory: AudienceHistory;
  readonly reportedContents: ReportedContents;
  readonly baselines: Baselines;
  readonly watches: Watches;
  readonly watchFiles: WatchFiles;
  readonly idempotency: Idempotency;
  readonly manifest: Manifest;
  readonly runFiles: RunFiles;
  readonly warehouseCopies: WarehouseCopies;
  readonly universe: UniverseRecord;
  readonly suppression: Suppression;
  readonly privacyRequests: PrivacyRequests;
  readonly deviceLookups: DeviceLookups;
  readonly suppressionJournals: SuppressionJournals;
  readonly erasedRows: ErasedRows;
  readonly profiles: Profiles;
  readonly damagedRuns: DamagedRuns;
  readonly objectIndex: ObjectIndex;
  readonly uploads: Uploads;
  readonly storageUses: StorageUses;
  readonly installation: Installation;
  readonly places: Places;
  readonly dataChanges: DataChanges;
  readonly backups: Backups;
  readonly sealedSecrets: SealedSecrets;
  readonly dropCycles: DropCycles;
  readonly dropFiles: DropFiles;
  readonly dropSchedule: DropSchedule;
  readonly auditLog: AuditLog;
  readonly adminTokens: AdminTokens;
  readonly usage: UsageRecord;
  readonly storageCredentials: StorageCredentials;
  readonly webhooks: Webhooks;
  readonly webhookEvents: WebhookEvents;
  readonly webhookDeliveries: WebhookDeliveries;
  /** Commits everything that `work` does through the records it gets, or rolls it all back. */
  inTransaction<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** The same for an engine that uses the place of that copy; null: the first place. */
  inPlace(copyId: number | null): Records;
  /** Runs `work` once no other process runs work under the same lock name. */
  exclusively<T>(lockName: string, work: ExclusiveWork<T>, signal: AbortSignal): Promise<T>;
  /** The same, but returns undefined at once if another process runs such work. */
  unlessLocked<T>(
    lockName: string,
    work: ExclusiveWork<T>,
    signal: AbortSignal,
  ): Promise<T | undefined>;
  /** Throws if the database is unavailable. */
  checkReady(): Promise<void>;
  /**
   * Throws SchemaNewer if a newer Tributary has migrated the database. Call it first in a transaction
   * that commits work of a worker.
   */
  refuseNewerSchema(): Promise<void>;
  serverState(): Promise<ServerState>;
  pendingDeletions(): Promise<PendingDeletions>;
  /** The version of the database's schema, and the newest one that this process supports. */
  schemaVersion(): Promise<{ version: number; supported: number }>;
}

export function createRecords(db: Database, sealing: Sealing): Records {
  const records: Records = {
    access: createAccess(db),
    removals: createRemovals(db),
    partners: createPartners(db),
    apiKeys: createApiKeys(db),
    customers: createCustomers(db),
    userTokens: createUserTokens(db),
    users: createUsers(db),
    consoleSessions: createConsoleSessions(db),
    passwordLinks: createPasswordLinks(db),
    signInAttempts: createSignInAttempts(db),
    oauthApps: createOauthApps(db),
    oauthGrants: createOauthGrants(db, sealing),
    oauthState: createOauthState(db, sealing),
    oauthKeys: createOauthKeys(db, sealing),
    attributes: createAttributes(db),
    attributeHistory: createAttributeHistory(db),
    segments: createSegments(db),
    jobs: createJobs(db),
    jobProgress: createJobProgress(db),
    jobParts: createJobParts(db),
    recentJobs: createRecentJobs(db),
    allJobs: createAllJobs(db),
    jobDays: createJobDays(db),
    loadedFiles: createLoadedFiles(db),
    jobRetention: createJobRetention(db),
    importLogs: createImportLogs(db, sealing),
    importFiles: createImportFiles(db),
    rejects: createRejects(db),
    reportedValues: createReportedValues(db),
    audiences: createAudiences(db),
    recentAudiences: createRecentAudiences(db),
    audienceLabels: createAudienceLabels(db),
    audienceLoads: createAudienceLoads(db),
    audienceFiles: createAudienceFiles(db),
    audienceProblems: createAudienceProblems(db),
    audienceRejects: createAudienceRejects(db),
    compositions: createCompositions(db),
    audienceHistory: createAudienceHistory(db),
    reportedContents: createReportedContents(db),
    baselines: createBaselines(db),
    watches: createWatches(db, sealing),
    watchFiles: createWatchFiles(db),
    idempotency: createIdempotency(db),
    manifest: createManifest(db),
    runFiles: createRunFiles(db),
    warehouseCopies: createWarehouseCopies(db, sealing),
    universe: createUniverse(db),
    suppression: createSuppression(db),
    privacyRequests: createPrivacyRequests(db, sealing),
    deviceLookups: createDeviceLookups(db),
    suppressionJournals: createSuppressionJournals(db),
    erasedRows: createErasedRows(db),
    profiles: createProfiles(db),
    damagedRuns: createDamagedRuns(db),
    objectIndex: createObjectIndex(db),
    uploads: createUploads(db),
    storageUses: createStorageUses(db),
    installation: createInstallation(db, sealing),
    places: createPlaces(db),
    dataChanges: createDataChanges(db),
    backups: createBackups(db),
    sealedSecrets: createSealedSecrets(db, sealing),
    dropCycles: createDropCycles(db),
    dropFiles: createDropFiles(db),
    dropSchedule: createDropSchedule(db),
    auditLog: createAuditLog(db),
    adminTokens: createAdminTokens(db),
    usage: createUsage(db),
    storageCredentials: createStorageCredentials(db, sealing),
    webhooks: createWebhooks(db, sealing),
    webhookEvents: createWebhookEvents(db),
    webhookDeliveries: createWebhookDeliveries(db),

    inTransaction: (work) => atomically(db, (tx) => work(createRecords(tx, sealing))),

    inPlace: (copyId) => boundToPlace(db, records, copyId),

    exclusively: (lockName, work, signal) => runExclusively(db, lockName, work, signal),

    async unlessLocked(lockName, work, signal) {
      const outcome = await tryExclusively(db, lockName, work, signal);
      return outcome === lockTaken ? undefined : outcome;
    },

    async checkReady() {
      await sql`select 1`.execute(db);
    },

    refuseNewerSchema: () => refuseNewerSchema(db),

    serverState: () => readServerState(db),

    pendingDeletions: () => readPendingDeletions(db),

    async schemaVersion() {
      const { rows } = await sql<{ version: number }>`select ${schemaVersion} as version`.execute(
        db,
      );
      return { version: rows[0]!.version, supported: supportedSchema };
    },
  };
  return records;
}
