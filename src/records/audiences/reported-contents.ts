import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Draw } from '../../domain/disclosure/disclosure.ts';
import type { Database } from '../database/connection.ts';
import { lockKey } from '../database/exclusive-lock.ts';
import type { ReleasedCounts } from './compositions.ts';

/** Contents of an audience that are about to be reported on. */
export interface ReportedContent extends ReleasedCounts {
  readonly partnerId: number;
  readonly fingerprint: string;
  readonly foreignState: string;
  /** Whether the partner made these contents, so that they count towards its budget. */
  readonly isCharged: boolean;
}

export type ReportedContents = ReturnType<typeof createReportedContents>;

const today = sql`(now() at time zone 'utc')::date`;

/** The contents of audiences that were reported on, and the key that draws the noise of their counts. */
export function createReportedContents(db: Database) {
  async function key(): Promise<Buffer> {
    const row = await db.selectFrom('disclosure_key').select('key').executeTakeFirstOrThrow();
    return row.key;
  }

  return {
    /** 32 bytes. The key stays the same for as long as the service has its database. */
    key,

    /** Draws the noise of counts with the key. */
    async draw(): Promise<Draw> {
      const secret = await key();
      return (text) => createHmac('sha256', secret).update(text).digest();
    },

    /**
     * Notes the contents. Returns the counts to show: those of the same contents on the same day, unless
     * other partners' attributes have changed since, or no other partner has devices. Undefined if the partner has had `most` other
     * contents reported on today. Call it in a transaction.
     */
    async release(content: ReportedContent, most: number): Promise<ReleasedCounts | undefined> {
      const { partnerId, fingerprint, isCharged } = content;
      if (isCharged) {
        // Two loads that end together must not both take the last place.
        await sql`
          select pg_advisory_xact_lock(${lockKey(`contents of partner ${partnerId}`)})
        `.execute(db);
      }
      const { rows } = await sql<ReleasedCounts>`
        insert into reported_content as stored (
          partner_id, day, fingerprint, is_charged, foreign_state, universe_version, matched_devices,
          universe_devices
        )
        select ${partnerId}, ${today}, ${fingerprint}, ${isCharged}, ${content.foreignState},
          ${content.universeVersion}, ${content.matchedDevices}, ${content.universeDevices}
        where not ${isCharged}::boolean or ${most} > (
          select count(*) from reported_content
          where partner_id = ${partnerId} and day = ${today} and is_charged
            and fingerprint <> ${fingerprint}
        )
        on conflict (partner_id, day, fingerprint) do update set
          is_charged = stored.is_charged or excluded.is_charged,
          foreign_state = excluded.foreign_state,
          universe_version = ${unlessSame('universe_version')},
          matched_devices = ${unlessSame('matched_devices')},
          universe_devices = ${unlessSame('universe_devices')}
        returning universe_version as "universeVersion", matched_devices as "matchedDevices",
          universe_devices as "universeDevices"
      `.execute(db);
      return rows[0];
    },

    /** Forgets the contents of earlier days. */
    async prune(): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('reported_content')
        .where('day', '<', sql<Date>`${today}`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function unlessSame(column: string) {
  return sql`case when stored.foreign_state = excluded.foreign_state and stored.foreign_state <> ''
    then ${sql.ref(`stored.${column}`)} else ${sql.ref(`excluded.${column}`)} end`;
}
