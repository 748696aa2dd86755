import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';

/** Who tries, or what is tried, and how often that may fail within the window. */
export interface AttemptLimit {
  readonly subject: string;
  readonly most: number;
  /** Whether a success forgives what failed before it. */
  readonly isForgiven: boolean;
}

export interface SignInAttempt {
  /** Null: go ahead. Else so many seconds must pass first, and the attempt does not count. */
  readonly waitSeconds: number | null;
  succeed(): Promise<void>;
}

export type SignInAttempts = ReturnType<typeof createSignInAttempts>;

const windowSeconds = 15 * 60;

export function createSignInAttempts(db: Database) {
  return {
    /**
     * Notes an attempt as failed before it is judged, and looks only then how many came before it:
     * of any number of attempts made at once hardly more go ahead than may fail. What is refused
     * leaves no trace, so it keeps nobody out for longer.
     */
    async begin(limits: readonly AttemptLimit[]): Promise<SignInAttempt> {
      const subjects = limits.map(({ subject }) => hash(subject));
      const already = await longestWait(limits.map(({ most }, at) => [subjects[at]!, most, null]));
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
        limits.map(({ most }, at) => [subjects[at]!, most, ids[at]!]),
      );
      if (waitSeconds > 0) await forget();
      return {
        waitSeconds: waitSeconds > 0 ? waitSeconds : null,
        async succeed() {
          await forget();
          const forgiven = subjects.filter((_, at) => limits[at]!.isForgiven);
          if (forgiven.length === 0) return;
          await db.deleteFrom('sign_in_attempt').where('subject', 'in', forgiven).execute();
        },
      };
    },

    /** Forgets attempts that no longer count. */
    async prune(): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('sign_in_attempt')
        .where('tried_at', '<', sql<Date>`now() - make_interval(secs => ${windowSeconds})`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };

  async function longestWait(asked: [Buffer, number, number | null][]): Promise<number> {
    return Math.max(...(await Promise.all(asked.map((each) => secondsToWait(...each)))));
  }

  /** Until fewer than `most` attempts before this one are left in the window. */
  async function secondsToWait(
    subject: Buffer,
    most: number,
    before: number | null,
  ): Promise<number> {
    const { rows } = await sql<{ seconds: number }>`
      select ceil(${windowSeconds} - extract(epoch from now() - tried_at))::integer as seconds
      from sign_in_attempt
      where subject = ${subject} and (${before}::bigint is null or attempt_id < ${before})
        and tried_at > now() - make_interval(secs => ${windowSeconds})
      order by attempt_id desc
      offset ${most - 1} limit 1
    `.execute(db);
    return rows[0]?.seconds ?? 0;
  }
}

function hash(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
