import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';
import type { LockedWatch, Poll } from './watches.ts';

export const watchFileStates = [
  'waiting',
  'queued',
  'loaded',
  'failed',
  'cancelled',
  'replaced',
  'skipped',
  'hidden',
] as const;

export type WatchFileState = (typeof watchFileStates)[number];

/** A version of a file that a watch has seen. */
export interface WatchFile {
  /** Grows in the order in which the versions were found. */
  readonly fileId: number;
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly modifiedAt: Date;
  readonly state: WatchFileState;
  /** The job that loads or loaded it. Null if none does. */
  readonly jobId: number | null;
  readonly updatedAt: Date;
}

/** A version that was listed. */
interface FoundVersion {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** A file whose job has ended. */
interface EndedFile {
  readonly fileId: number;
  /**
   * `waiting`: the job was cancelled before it read the file, which must be queued again. `replaced`: the version
   * was gone before it was read.
   */
  readonly outcome: 'loaded' | 'failed' | 'cancelled' | 'waiting' | 'replaced';
}

/** A file without a job cannot be loaded, because its name is not allowed. */
interface QueuedFile {
  readonly fileId: number;
  readonly jobId: number | null;
}

export type WatchFiles = ReturnType<typeof createWatchFiles>;

/** The ledger of watches: each version of a file is loaded at most once. */
export function createWatchFiles(db: Database) {
  return {
    /** Enters versions that are not in the ledger yet. Rows that stay as they are are not even locked. */
    async enter(
      { watchId, skipsBefore }: Pick<Poll, 'watchId' | 'skipsBefore'>,
      versions: readonly FoundVersion[],
    ): Promise<void> {
      const column = <T>(of: (version: FoundVersion) => T) => versions.map(of);
      await sql`
        insert into watch_file (watch_id, key, etag, size, modified_at, state)
        select ${watchId}::bigint, key, etag, size, modified_at,
          case when ${isHidden} then 'hidden'
            when ${latestChange} <= ${skipsBefore}::timestamptz then 'skipped'
            else 'waiting' end
        from unnest(
          ${column(({ key }) => key)}::text[], ${column(({ etag }) => etag)}::text[],
          ${column(({ size }) => size)}::bigint[],
          ${column(({ modifiedAt }) => modifiedAt)}::timestamptz[]
        ) as found (key, etag, size, modified_at)
        where not exists (
          select from watch_file
          where watch_id = ${watchId} and watch_file.key = found.key and watch_file.etag = found.etag
            and not (${isOutdated(sql`found.modified_at`)})
        )
        ${onceEach}
      `.execute(db);
    },

    /**
     * The files whose jobs have ended, in the order of the jobs. An import is cancelled only when access is
     * disabled, so its file is queued again. A load of an audience may also be cancelled by a clear.
     */
    async ended({ watchId, audienceId }: LockedWatch): Promise<EndedFile[]> {
      const { rows } = await sql<EndedFile>`
        select file_id as "fileId", ${audienceId === null ? importEnd : audienceEnd(audienceId)}
        from watch_file left join job using (job_id)
        where watch_id = ${watchId} and watch_file.state = 'queued'
          and (job.job_id is null or job.state not in ('pending', 'running'))
        order by job_id
      `.execute(db);
      return rows;
    },

    /** Enters the outcomes. */
    async settle({ watchId }: LockedWatch, files: readonly EndedFile[]): Promise<void> {
      await sql`
        update watch_file set state = given.outcome, updated_at = now()
        from unnest(
          ${files.map(({ fileId }) => fileId)}::bigint[], ${files.map(({ outcome }) => outcome)}::text[]
        ) as given (file_id, outcome)
        where watch_id = ${watchId} and watch_file.file_id = given.file_id
      `.execute(db);
    },

    /**
     * Files that may be loaded now, in the order of their last change and key. A file whose earlier version is
     * being loaded waits. Of the versions of a file, only the one found last is loaded: the others become `replaced`
     * when it is their turn, because a search through the whole ledger would take long.
     */
    async ready(
      { watchId, settleSeconds, marker }: LockedWatch,
      limit: number,
    ): Promise<WatchFile[]> {
      // A clock that is ahead must not delay a file.
      const { rows } = await sql<WatchFile & { readonly isReplaced: boolean }>`
        select ${columns}, exists (
          select from watch_file as later
          where later.watch_id = ${watchId} and later.key = candidate.key
            and later.file_id > candidate.file_id
        ) as "isReplaced"
        from (
          select * from watch_file
          where watch_id = ${watchId} and state = 'waiting'
            and least(modified_at, found_at) + ${settleSeconds} * interval '1 second' <= now()
            and ${marker === null ? sql`true` : hasMarker(marker)}
            and not exists (
              select from watch_file as other
              where other.watch_id = ${watchId} and other.key = watch_file.key
                and other.state = 'queued'
            )
          order by modified_at, key
          limit ${limit}
        ) as candidate
        order by modified_at, key
      `.execute(db);
      const replaced = rows.filter(({ isReplaced }) => isReplaced).map(({ fileId }) => fileId);
      if (replaced.length > 0) {
        await sql`
          update watch_file set state = 'replaced', updated_at = now()
          where watch_id = ${watchId} and file_id = any(${replaced}::bigint[])
        `.execute(db);
      }
      return rows.filter(({ isReplaced }) => !isReplaced);
    },

    /** Enters the jobs of files, in the transaction that queues the jobs. */
    async setQueued({ watchId }: LockedWatch, files: readonly QueuedFile[]): Promise<void> {
      await sql`
        update watch_file set state = case when given.job_id is null then 'failed' else 'queued' end,
          job_id = given.job_id, updated_at = now()
        from unnest(
          ${files.map(({ fileId }) => fileId)}::bigint[], ${files.map(({ jobId }) => jobId)}::bigint[]
        ) as given (file_id, job_id)
        where watch_id = ${watchId} and watch_file.file_id = given.file_id
      `.execute(db);
    },

    /** Failed and cancelled files wait again. Returns how many. */
    async retryFailed(watchId: number): Promise<number> {
      const { numAffectedRows = 0n } = await sql`
        update watch_file set state = 'waiting', job_id = null, updated_at = now()
        where watch_id = ${watchId} and state in ('failed', 'cancelled')
      `.execute(db);
      return Number(numAffectedRows);
    },

    /** The latest first, without hidden files. */
    async list(
      watchId: number,
      { after, limit }: Page,
      state: WatchFileState | undefined,
    ): Promise<WatchFile[]> {
      const isChosen = state === undefined ? sql`state <> 'hidden'` : sql`state = ${state}`;
      const { rows } = await sql<WatchFile>`
        select ${columns} from watch_file
        where watch_id = ${watchId} and file_id < ${after ?? Number.MAX_SAFE_INTEGER}
          and ${isChosen}
        order by file_id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

const columns = sql`
  file_id as "fileId", key, etag, size, modified_at as "modifiedAt", state, job_id as "jobId",
  updated_at as "updatedAt"
`;

/** As in Hadoop and Spark: such files are never loaded, and may be markers. */
const isHidden = sql`substring(key from '[^/]*$') ~ '^[_.]'`;

/**
 * When a file changed at the latest. Buckets list whole seconds, so a file of the second in which the watch
 * was created counts as new: to load one too many is better than to lose one.
 */
const latestChange = sql`(
  modified_at + case when modified_at = date_trunc('second', modified_at) then interval '1 second'
    else interval '0' end
)`;

/**
 * A version that was replaced before it was loaded, and is there again. Its time does not tell: an upload in
 * parts has the time of its beginning, and a deleted version uncovers an older one.
 */
const isBack = sql`(watch_file.state = 'replaced')`;

/** Whether the row of a version that was found must be written. */
function isOutdated(modifiedAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`watch_file.seen_at < now() - interval '1 day'
    or ${isBack} or watch_file.state = 'hidden' and watch_file.modified_at <> ${modifiedAt}`;
}

/**
 * A version that is in the ledger stays as it is, with two exceptions. A marker that is written again has the
 * same ETag. A version that was replaced before it was loaded, and came back, waits again.
 */
const onceEach = sql`
  on conflict (watch_id, key, etag) do update
  set seen_at = now(),
    file_id = case when ${isBack} then nextval(pg_get_serial_sequence('watch_file', 'file_id'))
      else watch_file.file_id end,
    modified_at = case when watch_file.state in ('hidden', 'replaced') then excluded.modified_at
      else watch_file.modified_at end,
    found_at = case when ${isBack} then now() else watch_file.found_at end,
    job_id = case when ${isBack} then null else watch_file.job_id end,
    state = case when ${isBack} then 'waiting' else watch_file.state end
  where ${isOutdated(sql`excluded.modified_at`)}
`;

function hasMarker(name: string): RawBuilder<unknown> {
  return sql`exists (
    select from watch_file as marker
    where marker.watch_id = watch_file.watch_id and marker.modified_at >= watch_file.modified_at
      and marker.key = regexp_replace(watch_file.key, '[^/]*$', '') || ${name}
  )`;
}

const importEnd = sql`
  case
    when job.state = 'done' then 'loaded'
    when job.state = 'cancelled' then 'waiting'
    when exists (
      select from import_log
      where import_log.job_id = job.job_id and errors @> '[{"code": "file_changed"}]'
    ) then 'replaced'
    else 'failed'
  end as outcome
`;

/** The file is looked up by its primary key. It has the outcome of this job, unless a later one loads it. */
function audienceEnd(audienceId: number): RawBuilder<unknown> {
  const loaded = (what: RawBuilder<unknown>) => sql`(
    select ${what} from audience_file
    where audience_id = ${audienceId} and s3_path = watch_file.key
      and audience_file.job_id = job.job_id
  )`;
  return sql`
    case
      when job.state = 'cancelled' then (
        select case when audience_load.generation = audience.generation then 'waiting'
          else 'cancelled' end
        from audience_load join audience using (audience_id)
        where audience_load.job_id = job.job_id
      )
      when job.state = 'done' and coalesce(${loaded(sql`ended_as`)}, 'done') = 'done' then 'loaded'
      when ${loaded(sql`problems @> '[{"code": "no_files"}]'`)} or exists (
        select from audience_load
        where audience_load.job_id = job.job_id and problem @> '{"code": "file_changed"}'
      ) then 'replaced'
      else 'failed'
    end as outcome
  `;
}

/**
 * Enters an object into the ledgers of the watches of its prefix, as part of the statement that makes it
 * visible, which costs less than another one.
 */
export function enterUploaded(
  partnerId: number | undefined,
  object: FoundVersion,
): RawBuilder<unknown> {
  if (partnerId === undefined || object.key.endsWith('/')) return sql``;
  return sql`, watched as (
    insert into watch_file (watch_id, key, etag, size, modified_at, state)
    select watch_id, found.*, case when ${isHidden} then 'hidden' else 'waiting' end
    from watch, (
      values (${object.key}::text, ${object.etag}::text, ${object.size}::bigint,
        ${object.modifiedAt}::timestamptz)
    ) as found (key, etag, size, modified_at)
    where partner_id = ${partnerId} and bucket is null and removed_at is null
      and starts_with(found.key, key_prefix)
    ${onceEach}
  )`;
}
