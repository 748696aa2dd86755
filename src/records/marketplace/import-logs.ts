import { type AliasedExpression, sql } from 'kysely';
import { type ImportProblem, keepFirst } from '../../domain/import-problems.ts';
import {
  type ImportMode,
  type KeyType,
  keyType,
  type LoadState,
  type LogType,
  logType,
  type PathType,
  pathType,
} from '../../domain/job.ts';
import type { Database } from '../database/connection.ts';
import { onlyOf } from '../database/only-of.ts';
import type { Sealing } from '../database/sealing.ts';

/** The files of an import, and the type of the keys in them. */
export interface ImportPlace {
  readonly filePath: string;
  readonly pathType: PathType;
  readonly keyType: KeyType;
}

export interface ImportRequest extends ImportPlace {
  /** Whether the files must be gzip; null detects it from their content. */
  readonly compressed: boolean | null;
  readonly mode: ImportMode;
  /** Read and check everything, but apply nothing. */
  readonly dryRun: boolean;
  /** The path names one file, of which only this version is read. Null: it may be a prefix. */
  readonly etag: string | null;
}

/** The attributes whose data is to be deleted. */
export interface DeletionRequest {
  readonly keyType: KeyType;
  readonly keys: readonly string[];
  /** Whether to delete the attributes themselves as well. */
  readonly withDefinitions: boolean;
}

/** Credentials for a partner's own bucket: keys, or a role that the service assumes. */
export type BucketCredentials = (BucketKeys | { readonly roleArn: string }) & {
  readonly region: string;
};

/** Temporary keys have a session token. */
interface BucketKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface ImportLog extends ImportPlace {
  readonly importLogId: number;
  readonly state: LoadState;
  readonly logType: LogType;
  readonly keys: string[] | null;
  readonly uniqueDevices: number;
  readonly totalRows: number;
  readonly errors: ImportProblem[] | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ImportResult {
  readonly uniqueDevices: number;
  readonly totalRows: number;
  readonly problems: readonly ImportProblem[];
}

export type ImportLogs = ReturnType<typeof createImportLogs>;

export function createImportLogs(db: Database, sealing: Sealing) {
  return {
    /** Settings that the request leaves out get their defaults. */
    async addImport(jobId: number, request: ImportPlace & Partial<ImportRequest>): Promise<void> {
      await db
        .insertInto('import_log')
        .values({
          job_id: jobId,
          log_type: request.dryRun ? logType.dryRun : logType.import,
          file_path: request.filePath,
          path_type: request.pathType,
          key_type: request.keyType,
          compressed: request.compressed ?? null,
          mode: request.mode ?? 'merge',
          etag: request.etag ?? null,
        })
        .execute();
    },

    async addDeletion(jobId: number, request: DeletionRequest): Promise<void> {
      await db
        .insertInto('import_log')
        .values({
          job_id: jobId,
          log_type: logType.deletion,
          file_path: '',
          path_type: pathType.sharedBucket,
          key_type: request.keyType,
          keys: JSON.stringify(request.keys),
          with_definitions: request.withDefinitions,
        })
        .execute();
    },

    /** The log of devices that were removed because they are suppressed. The job is done. */
    async addErasure(
      jobId: number,
      { memberships, devices }: { readonly memberships: number; readonly devices: number },
    ): Promise<void> {
      await db
        .insertInto('import_log')
        .values({
          job_id: jobId,
          log_type: logType.erasure,
          file_path: '',
          path_type: pathType.sharedBucket,
          key_type: keyType.attributeId,
          unique_devices: devices,
          total_rows: memberships,
        })
        .execute();
    },

    /** Encrypts and stores the credentials of an import. They are deleted when it ends. */
    async saveCredentials(jobId: number, credentials: BucketCredentials): Promise<void> {
      const sealed = sealing.seal(JSON.stringify(credentials), credentialsContext(jobId));
      await db
        .insertInto('job_secret')
        .values({ job_id: jobId, sealed_credentials: sealed })
        .execute();
    },

    async request(importLogId: number): Promise<ImportRequest> {
      const row = await one(db, importLogId);
      return {
        filePath: row.file_path,
        pathType: row.path_type,
        keyType: row.key_type,
        compressed: row.compressed,
        mode: row.mode,
        dryRun: row.log_type === logType.dryRun,
        etag: row.etag,
      };
    },

    async deletion(importLogId: number): Promise<DeletionRequest> {
      const row = await one(db, importLogId);
      return {
        keyType: row.key_type,
        keys: row.keys ?? [],
        withDefinitions: row.with_definitions,
      };
    },

    /** The credentials of an import that has not ended. */
    async credentials(importLogId: number): Promise<BucketCredentials> {
      const row = await db
        .selectFrom('job_secret')
        .select('sealed_credentials')
        .where('job_id', '=', importLogId)
        .executeTakeFirstOrThrow();
      return JSON.parse(sealing.open(row.sealed_credentials, credentialsContext(importLogId)));
    },

    /**
     * Stores the result of a job and deletes its credentials; call it in the transaction that
     * settles the job.
     */
    async settle(importLogId: number, result: ImportResult): Promise<void> {
      const { uniqueDevices, totalRows, problems } = result;
      const errors = problems.length === 0 ? null : JSON.stringify(keepFirst(problems));
      await sql`
        with secret as (delete from job_secret where job_id = ${importLogId})
        update import_log
        set unique_devices = ${uniqueDevices}, total_rows = ${totalRows}, errors = ${errors}
        where job_id = ${importLogId}
      `.execute(db);
    },

    /** The same for jobs that were cancelled. */
    async stop(importLogIds: readonly number[], problem: ImportProblem): Promise<void> {
      await sql`
        with secrets as (delete from job_secret where job_id = any(${importLogIds}::bigint[]))
        update import_log set errors = ${JSON.stringify([problem])}
        where job_id = any(${importLogIds}::bigint[])
      `.execute(db);
    },

    /** A partner's latest imports and deletions before `after`, newest first. */
    async latest(
      partnerId: number,
      limit: number,
      after: number | null = null,
    ): Promise<ImportLog[]> {
      const partner = sql`${partnerId}::bigint`;
      const before = sql`${after ?? Number.MAX_SAFE_INTEGER}::bigint`;
      const latest = logJobs(db)
        .where(onlyOf(sql`partner_id`, partner, sql`job_id`))
        .where(sql<boolean>`(partner_id, job_id) < (${partner}, ${before})`)
        .orderBy('partner_id', 'desc')
        .orderBy('job_id', 'desc')
        .limit(limit)
        .as('job');
      const rows = await logs(db, latest).orderBy('job.job_id', 'desc').execute();
      return rows.map(importLog);
    },

    async find(partnerId: number, importLogId: number): Promise<ImportLog | undefined> {
      const one = logJobs(db)
        .where('partner_id', '=', partnerId)
        .where('job_id', '=', importLogId)
        .as('job');
      const row = await logs(db, one).executeTakeFirst();
      return row && importLog(row);
    },
  };
}

/** What credentials are bound to when they are encrypted. */
export function credentialsContext(jobId: number): string {
  return `credentials of job ${jobId}`;
}

function one(db: Database, importLogId: number) {
  return db
    .selectFrom('import_log')
    .selectAll()
    .where('job_id', '=', importLogId)
    .executeTakeFirstOrThrow();
}

/** Imports and deletions. */
function logJobs(db: Database) {
  return (
    db
      .selectFrom('job')
      .select(['job_id', 'state', 'created_at', 'updated_at'])
      // As literal text, the condition of an index that leaves out the loads of audiences.
      .where(sql<boolean>`kind <> 'audience'`)
  );
}

/** The jobs are chosen first, so that PostgreSQL does not read other jobs to join them. */
function logs(db: Database, jobs: AliasedExpression<LogJob, 'job'>) {
  return db
    .selectFrom(jobs)
    .innerJoin('import_log', 'import_log.job_id', 'job.job_id')
    .selectAll('import_log')
    .select(['job.state', 'job.created_at', 'job.updated_at']);
}

type LogJob = Awaited<ReturnType<ReturnType<typeof logJobs>['executeTakeFirstOrThrow']>>;

type ImportLogRow = Awaited<ReturnType<ReturnType<typeof logs>['executeTakeFirstOrThrow']>>;

function importLog(row: ImportLogRow): ImportLog {
  return {
    importLogId: row.job_id,
    filePath: row.file_path,
    pathType: row.path_type,
    keyType: row.key_type,
    state: row.state === 'cancelled' ? 'failed' : row.state,
    logType: row.log_type,
    keys: row.keys,
    uniqueDevices: row.unique_devices,
    totalRows: row.total_rows,
    errors: row.errors,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
