import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { hasText } from '../database/has-text.ts';
import { type AudienceScope, inScope } from './audience-scope.ts';
import { audienceColumns, audiencesOf } from './audience-sql.ts';
import type { Audience } from './audiences.ts';

/** An audience with the names of its partner and customer. */
export interface NamedAudience extends Audience {
  readonly partnerName: string;
  readonly customerName: string | null;
  /** Its place in the list: the microsecond of its last change, and its id. */
  readonly cursor: string;
}

interface ListOptions {
  readonly limit: number;
  readonly search: string;
  /** The cursor of the audience before the first one. Null: from the start. */
  readonly after: string | null;
}

export type RecentAudiences = ReturnType<typeof createRecentAudiences>;

/** Audiences for the console: searched by name, most recent first. */
export function createRecentAudiences(db: Database) {
  return {
    /** Audiences whose name contains the text, ignoring case; the most recently active first. */
    async list(
      scope: AudienceScope,
      { limit, search, after }: ListOptions,
    ): Promise<NamedAudience[]> {
      const { rows } = await sql<NamedAudience>`
        select ${namedColumns} from ${namedAudiences(sql`
          ${inScope(scope)} and ${hasText(sql`audience.name`, search)} and ${follows(after)}
          order by updated_at desc, audience_id desc
          limit ${limit}
        `)}
        order by audience.updated_at desc, audience.audience_id desc
      `.execute(db);
      return rows;
    },

    async ofSegment(scope: AudienceScope, segmentId: number): Promise<NamedAudience | undefined> {
      const { rows } = await sql<NamedAudience>`
        select ${namedColumns}
        from ${namedAudiences(sql`${inScope(scope)} and segment_id = ${segmentId}`)}
      `.execute(db);
      return rows[0];
    },
  };
}

function namedAudiences(choice: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    ${audiencesOf(choice)}
    join partner using (partner_id)
    left join customer using (customer_id)
  `;
}

const namedColumns = sql`
  ${audienceColumns}, partner.name as "partnerName", customer.name as "customerName",
  (extract(epoch from audience.updated_at) * 1000000)::bigint || '-' || audience.audience_id as cursor
`;

function follows(cursor: string | null): RawBuilder<boolean> {
  if (cursor === null) return sql<boolean>`true`;
  const [microseconds, audienceId] = cursor.split('-');
  return sql<boolean>`(updated_at, audience_id) < (
    timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond', ${audienceId}::bigint
  )`;
}
