import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';

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
     * Notes an attempt as failed before it is judged, and looks how many there are only then: of
     * any number of attempts made at once, no more than may fail go ahead.
     */
    async begin(limits: readonly AttemptLimit[]): Promise<SignInAttempt> {
      const subjects = limits.map(({ subject }) => hash(subject));
      const noted = await db
        .insertInto('sign_in_attempt')
        .values(subjects.map((subject) => ({ subject })))
        .returning('attempt_id')
        .execute();
      const waits = await Promise.all(
        limits.map(({ most }, index) => secondsToWait(db, subjects[index]!, most)),
      );
      const waitSeconds = Math.max(...waits);
      async function forget(): Promise<void> {
        const ids = noted.map(({ attempt_id }) => attempt_id);
        await db.deleteFrom('sign_in_attempt').where('attempt_id', 'in', ids).execute();
      }
      if (waitSeconds > 0) await forget();
      return {
        waitSeconds: waitSeconds > 0 ? waitSeconds : null,
        async succeed() {
          await forget();
          const forgiven = subjects.filter((_, index) => limits[index]!.isForgiven);
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
}

/** Until no more than `most` attempts are left in the window. */
async function secondsToWait(db: Database, subject: Buffer, most: number): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(${windowSeconds} - extract(epoch from now() - tried_at))::integer as seconds
    from sign_in_attempt
    where subject = ${subject} and tried_at > now() - make_interval(secs => ${windowSeconds})
    order by tried_at desc, attempt_id desc
    offset ${most} limit 1
  `.execute(db);
  return rows[0]?.seconds ?? 0;
}

function hash(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
