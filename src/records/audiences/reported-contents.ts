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

/** How often the sizes of the same contents are shown anew in a day, if other partners change the universe. */
const releasesPerDay = 5;
/** For so long, the sizes of contents stay the same if other partners change nothing. */
const daysKept = 30;

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
     * Notes the contents. Returns the sizes to show: those that were shown for the same contents, unless
     * other partners' attributes have changed since. Undefined if the
     * partner has had `most` other contents reported on today. Call it in a transaction.
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
          coalesce(known.universe_version, ${content.universeVersion}),
          coalesce(known.matched_devices, ${content.matchedDevices}),
          coalesce(known.universe_devices, ${content.universeDevices})
        from (select) as one left join lateral (
          select * from reported_content
          where partner_id = ${partnerId} and day < ${today} and fingerprint = ${fingerprint}
            and foreign_state = ${content.foreignState}
          order by day desc limit 1
        ) as known on true
        where not ${isCharged}::boolean or ${most} > (
          select count(*) from reported_content
          where partner_id = ${partnerId} and day = ${today} and is_charged
            and fingerprint <> ${fingerprint}
        )
        on conflict (partner_id, day, fingerprint) do update set
          is_charged = stored.is_charged or excluded.is_charged,
          releases = stored.releases + case when ${isKept} then 0 else 1 end,
          foreign_state = ${unlessKept('foreign_state')},
          universe_version = ${unlessKept('universe_version')},
          matched_devices = ${unlessKept('matched_devices')},
          universe_devices = ${unlessKept('universe_devices')}
        returning universe_version as "universeVersion", matched_devices as "matchedDevices",
          universe_devices as "universeDevices"
      `.execute(db);
      return rows[0];
    },

    /** Forgets contents that were last reported on long ago. */
    async prune(): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('reported_content')
        .where('day', '<', sql<Date>`${today} - ${daysKept}::integer`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

const isKept = sql`(
  stored.foreign_state = excluded.foreign_state or stored.releases >= ${releasesPerDay}
)`;

function unlessKept(column: string) {
  return sql`case when ${isKept} then ${sql.ref(`stored.${column}`)}
    else ${sql.ref(`excluded.${column}`)} end`;
}
