import { type RawBuilder, sql } from 'kysely';
import type { ImportMode, KeyType } from '../../domain/job.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { capTimes } from '../database/cap-times.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';
import type { Sealing } from '../database/sealing.ts';
import type { BucketCredentials } from '../marketplace/import-logs.ts';

/** Which watches: those of a partner's imports, or of one of its audiences. */
export interface WatchScope {
  readonly partnerId: number;
  readonly audienceId: number | null;
}

/** What a partner may change. */
export interface WatchSettings {
  /** How an import is queued. Null for audiences. */
  readonly keyType: KeyType | null;
  readonly mode: ImportMode | null;
  readonly compressed: boolean | null;
  /** A file is loaded when it has not changed for this long. */
  readonly settleSeconds: number;
  /** Files are loaded when their folder has a file of this name that is as new. */
  readonly marker: string | null;
  /** How often the files are listed. */
  readonly pollSeconds: number;
}

export interface NewWatch extends WatchScope, WatchSettings {
  /** Null for the shared bucket. */
  readonly bucket: string | null;
  /** In the shared bucket with the partner's prefix. */
  readonly keyPrefix: string;
  /** Whether files that are there when the watch is created are not loaded. */
  readonly skipsExisting: boolean;
}

export interface Watch extends NewWatch {
  readonly watchId: number;
  readonly state: 'active' | 'paused';
  readonly pausedReason: string | null;
  readonly filesWaiting: number;
  readonly filesQueued: number;
  readonly filesLoaded: number;
  readonly filesFailed: number;
  readonly failedInRow: number;
  readonly pollError: string | null;
  readonly listedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Without the count that takes long for a large ledger. */
export type LockedWatch = Omit<Watch, 'filesWaiting'>;

/** A watch, its partner, and the customer of its audience. */
interface WatchOwner {
  readonly watchId: number;
  readonly partnerId: number;
  readonly customerId: number | null;
}

/** A watch whose files are to be listed, for which no other worker lists them. */
export interface Poll extends WatchScope, Pick<Watch, 'watchId' | 'bucket' | 'keyPrefix'> {
  /** When it began, by the database's clock. */
  readonly startedAt: Date;
  /** Files that were there before this time, by the store's clock, are not loaded. Null: all are. */
  readonly skipsBefore: Date | null;
}

export type Watches = ReturnType<typeof createWatches>;

export function createWatches(db: Database, sealing: Sealing) {
  async function setCredentials(watchId: number, credentials: BucketCredentials): Promise<void> {
    const sealed = sealing.seal(JSON.stringify(credentials), watchContext(watchId));
    await sql`
      update watch set sealed_credentials = ${sealed} where watch_id = ${watchId}
    `.execute(db);
  }

  return {
    setCredentials,

    /** Call it in a transaction. */
    async create(watch: NewWatch): Promise<number> {
      await refuseBeyondLimit(db, {
        records: 'watches',
        most: limits.watches.most,
        ownerId: watch.partnerId,
        present: sql`watch where partner_id = ${watch.partnerId} and removed_at is null`,
        advice: 'Remove a watch first, or watch a shorter prefix.',
      });
      const { rows } = await sql<{ watchId: number }>`
        insert into watch (
          partner_id, audience_id, bucket, key_prefix, key_type, mode, compressed, settle_seconds,
          marker, poll_seconds, skips_existing
        ) values (
          ${watch.partnerId}, ${watch.audienceId}, ${watch.bucket}, ${watch.keyPrefix},
          ${watch.keyType}, ${watch.mode}, ${watch.compressed}, ${watch.settleSeconds},
          ${watch.marker}, ${watch.pollSeconds}, ${watch.skipsExisting}
        )
        returning watch_id as "watchId"
      `.execute(db);
      return rows[0]!.watchId;
    },

    async credentials(watchId: number): Promise<BucketCredentials> {
      const { rows } = await sql<{ sealed: Buffer }>`
        select sealed_credentials as sealed from watch where watch_id = ${watchId}
      `.execute(db);
      return JSON.parse(sealing.open(rows[0]!.sealed, watchContext(watchId)));
    },

    async find(scope: WatchScope, watchId: number): Promise<Watch | undefined> {
      const found = await read(sql`${inScope(scope)} and watch_id = ${watchId}`);
      return found[0];
    },

    /** Ordered by id. */
    list(scope: WatchScope, { after, limit }: Page): Promise<Watch[]> {
      return read(sql`
        ${inScope(scope)} and watch_id > ${after ?? 0} order by watch_id limit ${limit}
      `);
    },

    async change(watchId: number, settings: WatchSettings): Promise<void> {
      await sql`
        update watch set key_type = ${settings.keyType}, mode = ${settings.mode},
          compressed = ${settings.compressed}, settle_seconds = ${settings.settleSeconds},
          marker = ${settings.marker}, poll_seconds = ${settings.pollSeconds}, updated_at = now()
        where watch_id = ${watchId}
      `.execute(db);
    },

    /** Null: the partner paused it. False if it is paused already. */
    async pause(watchId: number, reason: string | null): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update watch set state = 'paused', paused_reason = ${reason}, updated_at = now()
        where watch_id = ${watchId} and state = 'active'
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /** Its files are listed at once. */
    async resume(watchId: number): Promise<void> {
      await sql`
        update watch set state = 'active', paused_reason = null, failed_in_row = 0,
          polls_failed = 0, poll_error = null, next_poll_at = now(), updated_at = now()
        where watch_id = ${watchId}
      `.execute(db);
    },

    /** Its files are listed soon, but no sooner after the last listing than partners may choose. */
    async pollNow(watchId: number): Promise<void> {
      await sql`
        update watch set next_poll_at = least(next_poll_at, greatest(now(), polled_at + ${pause}))
        where watch_id = ${watchId}
      `.execute(db);
    },

    /** The ledger is deleted later. */
    async remove(watchId: number): Promise<void> {
      await sql`
        update watch set removed_at = now(), sealed_credentials = null where watch_id = ${watchId}
      `.execute(db);
    },

    /**
     * Takes a watch whose files are due to be listed, the longest overdue first. Of each partner, only one
     * watch at a time. A time that is further ahead than possible is due: the clock was set back, or the
     * partner shortened the interval.
     */
    async claimPoll(leaseSeconds = pollLeaseSeconds): Promise<Poll | undefined> {
      const due = sql`
        select watch_id from watch join partner using (partner_id)
        where ${isWorking} and (
          next_poll_at <= now() or next_poll_at > now() + poll_seconds * interval '1 second'
        ) and not exists (
          select from watch as other
          where other.partner_id = watch.partner_id and other.polling_until > now()
        )
        order by next_poll_at limit 1
      `;
      // Checked before the lock is taken, because workers check often and mostly find nothing.
      if ((await due.execute(db)).rows.length === 0) return undefined;
      return atomically(db, async (tx) => {
        // One claim at a time, so that two workers do not choose watches of the same partner.
        await sql`
          select pg_advisory_xact_lock(hashtextextended(current_schema || ' polls of watches', 0))
        `.execute(tx);
        const { rows } = await sql<Poll>`
          update watch set next_poll_at = now() + poll_seconds * interval '1 second',
            polling_until = now() + ${leaseSeconds} * interval '1 second'
          where watch_id = (${due} for no key update of watch skip locked)
          returning watch_id as "watchId", partner_id as "partnerId", audience_id as "audienceId",
            bucket, key_prefix as "keyPrefix", now() as "startedAt",
            case when skips_existing and listed_at is null then created_at end as "skipsBefore"
        `.execute(tx);
        return rows[0];
      });
    },

    /** All files are listed. */
    async endPoll({ watchId, startedAt }: Poll): Promise<void> {
      await sql`
        update watch set ${pollEnded}, listed_at = ${startedAt}, polls_failed = 0, poll_error = null
        where watch_id = ${watchId}
      `.execute(db);
    },

    /** The listing goes on. */
    async renewPoll({ watchId }: Poll): Promise<void> {
      await sql`
        update watch set polling_until = now() + ${pollLeaseSeconds} * interval '1 second'
        where watch_id = ${watchId}
      `.execute(db);
    },

    /** The worker stops. Another one lists the files at once. */
    async releasePoll({ watchId }: Poll): Promise<void> {
      await sql`
        update watch set polling_until = null, next_poll_at = now() where watch_id = ${watchId}
      `.execute(db);
    },

    /** The files could not be listed. Returns how many times in a row that was the partner's fault. */
    async failPoll({ watchId }: Poll, message: string, isTheirs: boolean): Promise<number> {
      const { rows } = await sql<{ failed: number }>`
        update watch set ${pollEnded}, polls_failed = polls_failed + ${isTheirs ? 1 : 0},
          poll_error = ${message}
        where watch_id = ${watchId}
        returning polls_failed as failed
      `.execute(db);
      return rows[0]?.failed ?? 0;
    },

    /** The watches that have files to load, or whose jobs may have ended. */
    async withWork(): Promise<WatchOwner[]> {
      const { rows } = await sql<WatchOwner>`
        select watch_id as "watchId", watch.partner_id as "partnerId", customer_id as "customerId"
        from watch join partner using (partner_id) left join audience using (audience_id)
        where partner.disabled_at is null and watch.removed_at is null and (
          exists (
            select from watch_file
            where watch_file.watch_id = watch.watch_id and watch_file.state = 'queued'
          ) or ${isWorking} and exists (
            select from watch_file
            where watch_file.watch_id = watch.watch_id and watch_file.state = 'waiting'
          )
        )
        order by watch_id
      `.execute(db);
      return rows;
    },

    /**
     * Locks the watch until the transaction ends. Undefined if another worker has it, its files are
     * being listed, or it was removed.
     */
    async lock(watchId: number): Promise<LockedWatch | undefined> {
      const { rows } = await sql<LockedWatch>`
        select ${columns} from watch where watch_id = ${watchId} and removed_at is null
          and (polling_until is null or polling_until < now())
        for no key update skip locked
      `.execute(db);
      return rows[0];
    },

    async countEnded(
      watchId: number,
      ended: { readonly loaded: number; readonly failed: number; readonly failedInRow: number },
    ): Promise<void> {
      await sql`
        update watch set files_loaded = files_loaded + ${ended.loaded},
          files_failed = files_failed + ${ended.failed}, failed_in_row = ${ended.failedInRow}
        where watch_id = ${watchId}
      `.execute(db);
    },

    /** Deletes the watches of a removed partner or audience, with their ledgers. */
    async dropAll(owner: { readonly partnerId: number } | { readonly audienceId: number }) {
      await drop(
        'partnerId' in owner
          ? sql`partner_id = ${owner.partnerId}`
          : sql`audience_id = ${owner.audienceId}`,
      );
    },

    /**
     * Deletes removed watches, and entries of the ledger whose files were not listed for `days` days.
     * Returns how many entries were deleted.
     */
    async prune(days: number): Promise<number> {
      await capTimes(db, 'watch', { polling_until: pollLeaseSeconds, polled_at: 0 });
      const removed = await drop(sql`removed_at is not null`);
      // As long as the file is there, its entry is needed, or the file would be loaded again.
      const gone = await deleteInBatches(
        db,
        'watch_file',
        sql`state <> 'queued' and seen_at < (
          select listed_at - ${days} * interval '1 day' from watch
          where watch.watch_id = watch_file.watch_id
        )`,
      );
      return removed + gone;
    },
  };

  async function drop(isChosen: RawBuilder<unknown>): Promise<number> {
    const deleted = await deleteInBatches(
      db,
      'watch_file',
      sql`watch_id in (select watch_id from watch where ${isChosen})`,
    );
    await atomically(db, async (tx) => {
      const { rows } = await sql<{ watchId: number }>`
        select watch_id as "watchId" from watch where ${isChosen} for update
      `.execute(tx);
      const ids = rows.map(({ watchId }) => watchId);
      // An upload may have added entries meanwhile. Now that the watches are locked, none can.
      await sql`delete from watch_file where watch_id = any(${ids}::bigint[])`.execute(tx);
      await sql`delete from watch where watch_id = any(${ids}::bigint[])`.execute(tx);
    });
    return deleted;
  }

  async function read(isChosen: RawBuilder<unknown>): Promise<Watch[]> {
    const { rows } = await sql<Watch>`
      select ${columns}, ${countFiles('waiting')} as "filesWaiting" from watch where removed_at is null and ${isChosen}
    `.execute(db);
    return rows;
  }
}

/** Renewed after each page of a listing. */
const pollLeaseSeconds = 2 * 60;

/** Between two listings, so that files are queued also if listings take longer than the interval. */
const pause = sql`${limits.watchPollSeconds.most} * interval '1 second'`;

const pollEnded = sql`
  polling_until = null, polled_at = now(), next_poll_at = greatest(next_poll_at, now() + ${pause})
`;

/** Whether a watch may queue jobs. */
const isWorking = sql`(
  watch.state = 'active' and watch.removed_at is null
  and partner.disabled_at is null and partner.removed_at is null
)`;

function inScope({ partnerId, audienceId }: WatchScope): RawBuilder<unknown> {
  const ofAudience = audienceId === null ? sql`is null` : sql`= ${audienceId}`;
  return sql`partner_id = ${partnerId} and audience_id ${ofAudience}`;
}

function countFiles(state: 'waiting' | 'queued'): RawBuilder<number> {
  return sql`(
    select count(*) from watch_file
    where watch_file.watch_id = watch.watch_id and watch_file.state = ${sql.lit(state)}
  )`;
}

const columns = sql`
  watch_id as "watchId", partner_id as "partnerId", audience_id as "audienceId", bucket,
  key_prefix as "keyPrefix", key_type as "keyType", mode, compressed,
  settle_seconds as "settleSeconds", marker, poll_seconds as "pollSeconds",
  skips_existing as "skipsExisting", state, paused_reason as "pausedReason",
  ${countFiles('queued')} as "filesQueued", files_loaded as "filesLoaded",
  files_failed as "filesFailed", failed_in_row as "failedInRow", poll_error as "pollError",
  listed_at as "listedAt", created_at as "createdAt", updated_at as "updatedAt"
`;

/** What credentials are bound to when they are encrypted. */
export function watchContext(watchId: number): string {
  return `credentials of watch ${watchId}`;
}
