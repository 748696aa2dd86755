import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';

/** How many attempts of one subject may fail within the window: an account, a network or both. */
export interface AttemptLimit {
  readonly subject: string;
  readonly maxFailures: number;
  /** Whether a success deletes the earlier failures. */
  readonly resetsOnSuccess: boolean;
}

export interface SignInAttempt {
  /** Null if the attempt may proceed. Otherwise the seconds to wait; the attempt does not count. */
  readonly waitSeconds: number | null;
  succeed(): Promise<void>;
}

export type SignInAttempts = ReturnType<typeof createSignInAttempts>;

const windowSeconds = 15 * 60;

/** Whether an attempt counts. One in the future is from before the clock was set back. */
const counts = sql`(
  tried_at between now() - make_interval(secs => ${windowSeconds}) and now() + interval '1 minute'
)`;

export function createSignInAttempts(db: Database) {
  return {
    /**
     * Counts the attempt as failed before it is checked, and then looks at the attempts before it,
     * so that concurrent attempts hardly exceed the limit. Refused attempts are deleted again, so
     * they do not prolong the wait.
     */
    async begin(limits: readonly AttemptLimit[]): Promise<SignInAttempt> {
      const subjects = limits.map(({ subject }) => hash(subject));
      const already = await longestWait(
        limits.map(({ maxFailures }, at) => [subjects[at]!, maxFailures, null]),
      );
      if (already > 0) return { waitSeconds: already, succeed: async () => {} };
      const noted = await db
        .insertInto('sign_in_attempt')
        .values(subjects.map((subject) => ({ subject })))
        .returning('attempt_id')
        .execute();
      const ids = noted.map(({ attempt_id }) => attempt_id);
      async function forget(): Promise<void> {
        await db.deleteFrom('sign_in_attempt').where('attempt_id', 'in', ids).execute();
      }
      const waitSeconds = await longestWait(
        limits.map(({ maxFailures }, at) => [subjects[at]!, maxFailures, ids[at]!]),
      );
      if (waitSeconds > 0) await forget();
      return {
        waitSeconds: waitSeconds > 0 ? waitSeconds : null,
        async succeed() {
          await forget();
          const forgiven = subjects.filter((_, at) => limits[at]!.resetsOnSuccess);
          if (forgiven.length === 0) return;
          await db.deleteFrom('sign_in_attempt').where('subject', 'in', forgiven).execute();
        },
      };
    },

    /** Deletes attempts that no longer count and returns how many. */
    async prune(): Promise<number> {
      return deleteInBatches(db, 'sign_in_attempt', sql`not ${counts}`);
    },
  };

  async function longestWait(checks: [Buffer, number, number | null][]): Promise<number> {
    return Math.max(...(await Promise.all(checks.map((each) => secondsToWait(...each)))));
  }

  /** The seconds until fewer than `maxFailures` earlier attempts are left in the window. */
  async function secondsToWait(
    subject: Buffer,
    maxFailures: number,
    before: number | null,
  ): Promise<number> {
    const { rows } = await sql<{ seconds: number }>`
      select ceil(${windowSeconds} - extract(epoch from now() - tried_at))::integer as seconds
      from sign_in_attempt
      where subject = ${subject} and (${before}::bigint is null or attempt_id < ${before})
        and ${counts}
      order by attempt_id desc
      offset ${maxFailures - 1} limit 1
    `.execute(db);
    return rows[0]?.seconds ?? 0;
  }
}

function hash(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
