import { sql } from 'kysely';
import { capTimes } from '../database/cap-times.ts';
import type { Database } from '../database/connection.ts';

interface DropScheduleState {
  readonly sessionAt: Date;
  readonly callAt: Date;
  /** The time of a session has come, or the operator asked for one. */
  readonly isDue: boolean;
  readonly isRequested: boolean;
  /** The workers have an API key. */
  readonly isAutomatic: boolean;
  /** DROP may be called now. */
  readonly mayCall: boolean;
  /** This session has looked for later matches. */
  readonly isAmended: boolean;
  readonly failures: number;
  readonly accessedAt: Date | null;
  readonly problem: string | null;
  readonly problemAt: Date | null;
}

/** What deadlines are about. */
interface DropStanding {
  /** The last time that DROP delivered what it had, or when its use began. Null: DROP is not used. */
  readonly accessedAt: Date | null;
  /** When the oldest archive arrived that is not answered. Null: there is none. */
  readonly oldestOpenAt: Date | null;
  readonly hasProblem: boolean;
}

export type DropSchedule = ReturnType<typeof createDropSchedule>;

/** When DROP is called. Times are those of the database, so that all workers agree. */
export function createDropSchedule(db: Database) {
  const ahead = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

  return {
    /** This worker has an API key. Without an access before, the deadlines of DROP count from now on. */
    async begin(): Promise<void> {
      await sql`
        insert into drop_schedule (is_automatic, keyed_at) values (true, now())
        on conflict (is_only) do update set is_automatic = true, keyed_at = now(),
          since = case when drop_schedule.is_automatic then drop_schedule.since else now() end
        where not drop_schedule.is_automatic
          or (drop_schedule.keyed_at > now() - interval '1 minute') is not true
      `.execute(db);
    },

    /**
     * This worker has no API key. If none of the others had one in the last minutes, nothing calls DROP, not
     * even on request.
     */
    async end(): Promise<void> {
      await sql`
        update drop_schedule set is_automatic = false, is_requested = false
        where (is_automatic or is_requested)
          and (keyed_at > now() - interval '10 minutes') is not true
      `.execute(db);
    },

    /** Shortens waits that are longer than possible, because the clock was set back. */
    async capTimes(session: number, call: number, retry: number): Promise<void> {
      await capTimes(db, 'drop_schedule', { session_at: session, call_at: call });
      await capTimes(db, 'drop_cycle', { retry_at: retry });
    },

    async read(): Promise<DropScheduleState | undefined> {
      const { rows } = await sql<DropScheduleState>`
        select session_at as "sessionAt", call_at as "callAt",
          session_at <= now() or is_requested as "isDue", is_requested as "isRequested",
          is_automatic as "isAutomatic", call_at <= now() as "mayCall", is_amended as "isAmended", failures,
          accessed_at as "accessedAt", problem, problem_at as "problemAt"
        from drop_schedule
      `.execute(db);
      return rows[0];
    },

    /** The operator wants a session now. */
    async request(): Promise<void> {
      await sql`
        insert into drop_schedule (is_requested) values (true)
        on conflict (is_only) do update set is_requested = true, call_at = now(), failures = 0,
          problem = null, problem_at = null
      `.execute(db);
    },

    /** DROP delivered what it had. The next session is due after that many seconds. */
    async endSession(nextSeconds: number): Promise<void> {
      await sql`
        update drop_schedule set session_at = ${ahead(nextSeconds)}, call_at = now(),
          accessed_at = now(), is_requested = false, is_amended = false, failures = 0,
          problem = null, problem_at = null
      `.execute(db);
    },

    /** The operator brought an archive. */
    async recordAccess(): Promise<void> {
      await sql`
        insert into drop_schedule (accessed_at) values (now())
        on conflict (is_only) do update set accessed_at = now()
      `.execute(db);
    },

    /** The next session is due in that many seconds at the latest. */
    async hasten(seconds: number): Promise<void> {
      await sql`
        update drop_schedule set session_at = least(session_at, ${ahead(seconds)})
      `.execute(db);
    },

    async recordAmended(): Promise<void> {
      await sql`update drop_schedule set is_amended = true`.execute(db);
    },

    /** DROP asked to be called later, which is not a failure. */
    async postpone(seconds: number): Promise<void> {
      await sql`
        update drop_schedule set call_at = ${ahead(seconds)}, failures = 0, problem = null,
          problem_at = null
      `.execute(db);
    },

    /** DROP answered as it should. */
    async recordSuccess(): Promise<void> {
      await sql`
        update drop_schedule set failures = 0, problem = null, problem_at = null
      `.execute(db);
    },

    /** A call failed and is repeated after that many seconds, or before that if the operator asks for it. */
    async recordFailure(problem: string, seconds: number): Promise<void> {
      await sql`
        update drop_schedule set call_at = ${ahead(seconds)}, failures = failures + 1,
          problem = ${problem}, problem_at = coalesce(problem_at, now())
      `.execute(db);
    },

    async standing(): Promise<DropStanding> {
      const { rows } = await sql<DropStanding>`
        select (
            select coalesce(accessed_at, case when is_automatic then since end) from drop_schedule
          ) as "accessedAt",
          (select min(coalesce(downloaded_at, started_at)) from drop_cycle
            where state <> 'accepted') as "oldestOpenAt",
          exists (select from drop_schedule where problem is not null)
            or exists (select from drop_cycle
              where problem is not null and state <> 'accepted')
            or exists (select from drop_file where state = 'rejected') as "hasProblem"
      `.execute(db);
      return rows[0]!;
    },
  };
}
