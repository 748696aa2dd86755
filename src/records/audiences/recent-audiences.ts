import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { type AudienceScope, inScope } from './audience-scope.ts';
import { audienceColumns, audiencesOf } from './audience-sql.ts';
import type { Audience } from './audiences.ts';

/** An audience with the names of its partner and customer. */
export interface NamedAudience extends Audience {
  readonly partnerName: string;
  readonly customerName: string | null;
}

export type RecentAudiences = ReturnType<typeof createRecentAudiences>;

/** Audiences for the console: searched by name, most recent first. */
export function createRecentAudiences(db: Database) {
  return {
    /** Audiences whose name contains the text, ignoring case; the most recently active first. */
    async list(
      scope: AudienceScope,
      { limit, search }: { readonly limit: number; readonly search: string },
    ): Promise<NamedAudience[]> {
      const { rows } = await sql<NamedAudience>`
        select ${namedColumns} from ${namedAudiences(sql`
          ${inScope(scope)} and ${hasText(search)}
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
  ${audienceColumns}, partner.name as "partnerName", customer.name as "customerName"
`;

/**
 * Matches both cases of each letter explicitly, because our database has no locale and so folds
 * only ASCII letters.
 */
function hasText(search: string): RawBuilder<boolean> {
  const pattern = Array.from(search, (letter) => {
    const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    return `(?:${[...cases].map(escapeRegExp).join('|')})`;
  });
  return sql<boolean>`audience.name ~ ${pattern.join('')}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
