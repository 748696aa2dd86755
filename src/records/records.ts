import { sql } from 'kysely';
import { type AdminCalls, createAdminCalls } from './admin-calls.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { type Attributes, createAttributes } from './attributes.ts';
import { type AudienceLabels, createAudienceLabels } from './audience-labels.ts';
import { type AudienceLoads, createAudienceLoads } from './audience-loads.ts';
import { type AudienceProblems, createAudienceProblems } from './audience-problems.ts';
import { type Audiences, createAudiences } from './audiences.ts';
import { type Compositions, createCompositions } from './compositions.ts';
import { type ConsoleSessions, createConsoleSessions } from './console-sessions.ts';
import { type Customers, createCustomers } from './customers.ts';
import { atomically, type Database } from './database.ts';
import { type ExclusiveWork, whenFree } from './exclusive.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { createImportFiles, type ImportFiles } from './import-files.ts';
import { createImportLogs, type ImportLogs } from './import-logs.ts';
import { createImportRejects, type ImportRejects } from './import-rejects.ts';
import { createInstallation, type Installation } from './installation.ts';
import { createJobProgress, type JobProgressRecord } from './job-progress.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createManifest, type Manifest } from './manifest.ts';
import { createOauthApps, type OauthApps } from './oauth-apps.ts';
import { createOauthGrants, type OauthGrants } from './oauth-grants.ts';
import { createOauthKeys, type OauthKeys } from './oauth-keys.ts';
import { createOauthState, type OauthState } from './oauth-state.ts';
import { createObjectIndex, type ObjectIndex } from './object-index.ts';
import { createPartners, type Partners } from './partners.ts';
import { createPlaces, type Places } from './places.ts';
import { createRecentAudiences, type RecentAudiences } from './recent-audiences.ts';
import { createRecentJobs, type RecentJobs } from './recent-jobs.ts';
import { createRunFiles, type RunFiles } from './run-files.ts';
import type { Sealing } from './sealing.ts';
import { createSegments, type Segments } from './segments.ts';
import { createSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts';
import { createStorageCredentials, type StorageCredentials } from './storage-credentials.ts';
import { createUniverse, type UniverseRecord } from './universe.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { createUserTokens, type UserTokens } from './user-tokens.ts';
import { createUsers, type Users } from './users.ts';

/** Every record the service keeps, over one database or one transaction of it. */
export interface Records {
  readonly partners: Partners;
  readonly apiKeys: ApiKeys;
  readonly customers: Customers;
  readonly userTokens: UserTokens;
  readonly users: Users;
  readonly consoleSessions: ConsoleSessions;
  readonly signInAttempts: SignInAttempts;
  readonly oauthApps: OauthApps;
  readonly oauthGrants: OauthGrants;
  readonly oauthState: OauthState;
  readonly oauthKeys: OauthKeys;
  readonly attributes: Attributes;
  readonly segments: Segments;
  readonly jobs: Jobs;
  readonly jobProgress: JobProgressRecord;
  readonly recentJobs: RecentJobs;
  readonly importLogs: ImportLogs;
  readonly importFiles: ImportFiles;
  readonly importRejects: ImportRejects;
  readonly audiences: Audiences;
  readonly recentAudiences: RecentAudiences;
  readonly audienceLabels: AudienceLabels;
  readonly audienceLoads: AudienceLoads;
  readonly audienceProblems: AudienceProblems;
  readonly compositions: Compositions;
  readonly idempotency: Idempotency;
  readonly manifest: Manifest;
  readonly runFiles: RunFiles;
  readonly universe: UniverseRecord;
  readonly objectIndex: ObjectIndex;
  readonly uploads: Uploads;
  readonly installation: Installation;
  readonly places: Places;
  readonly adminCalls: AdminCalls;
  readonly storageCredentials: StorageCredentials;
  /** Everything `work` does through its records happens together or not at all. */
  inTransaction<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Does what only one process at a time may do, when it is its turn. */
  exclusively<T>(what: string, work: ExclusiveWork<T>, signal: AbortSignal): Promise<T>;
  /** Throws if the database does not answer. */
  checkReady(): Promise<void>;
}

export function createRecords(db: Database, sealing: Sealing): Records {
  return {
    partners: createPartners(db),
    apiKeys: createApiKeys(db),
    customers: createCustomers(db),
    userTokens: createUserTokens(db),
    users: createUsers(db),
    consoleSessions: createConsoleSessions(db),
    signInAttempts: createSignInAttempts(db),
    oauthApps: createOauthApps(db),
    oauthGrants: createOauthGrants(db, sealing),
    oauthState: createOauthState(db, sealing),
    oauthKeys: createOauthKeys(db, sealing),
    attributes: createAttributes(db),
    segments: createSegments(db),
    jobs: createJobs(db),
    jobProgress: createJobProgress(db),
    recentJobs: createRecentJobs(db),
    importLogs: createImportLogs(db, sealing),
    importFiles: createImportFiles(db),
    importRejects: createImportRejects(db),
    audiences: createAudiences(db),
    recentAudiences: createRecentAudiences(db),
    audienceLabels: createAudienceLabels(db),
    audienceLoads: createAudienceLoads(db),
    audienceProblems: createAudienceProblems(db),
    compositions: createCompositions(db),
    idempotency: createIdempotency(db),
    manifest: createManifest(db),
    runFiles: createRunFiles(db),
    universe: createUniverse(db),
    objectIndex: createObjectIndex(db),
    uploads: createUploads(db),
    installation: createInstallation(db, sealing),
    places: createPlaces(db),
    adminCalls: createAdminCalls(db),
    storageCredentials: createStorageCredentials(db, sealing),

    inTransaction: (work) => atomically(db, (tx) => work(createRecords(tx, sealing))),

    exclusively: (what, work, signal) => whenFree(db, what, work, signal),

    async checkReady() {
      await sql`select 1`.execute(db);
    },
  };
}
