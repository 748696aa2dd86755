import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { type AudienceScope, inScope } from './audience-scope.ts';
import { audienceColumns, audiences } from './audience-sql.ts';
import type { Audience } from './audiences.ts';

/** An audience, and who it has to do with. */
export interface NamedAudience extends Audience {
  readonly partnerName: string;
  readonly customerName: string | null;
}

export type RecentAudiences = ReturnType<typeof createRecentAudiences>;

/** Audiences as people look for them. */
export function createRecentAudiences(db: Database) {
  return {
    /** Those whose name has that text in it, in whatever letter case; what was active last is first. */
    async list(
      scope: AudienceScope,
      { limit, search }: { readonly limit: number; readonly search: string },
    ): Promise<NamedAudience[]> {
      const { rows } = await sql<NamedAudience>`
        select ${namedColumns} from ${namedAudiences}
        where ${inScope(scope)} and ${hasText(search)}
        order by "updatedAt" desc, audience.audience_id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    async ofSegment(scope: AudienceScope, segmentId: number): Promise<NamedAudience | undefined> {
      const { rows } = await sql<NamedAudience>`
        select ${namedColumns} from ${namedAudiences}
        where ${inScope(scope)} and audience.segment_id = ${segmentId}
      `.execute(db);
      return rows[0];
    },
  };
}

const namedAudiences = sql`
  ${audiences}
  join partner using (partner_id)
  left join customer using (customer_id)
`;

const namedColumns = sql`
  ${audienceColumns}, partner.name as "partnerName", customer.name as "customerName"
`;

/**
 * Both cases of each letter are spelled out: a database without a locale, as ours is, knows only
 * those of ASCII.
 */
function hasText(search: string): RawBuilder<boolean> {
  const pattern = Array.from(search, (letter) => {
    const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    return `(?:${[...cases].map(asItIs).join('|')})`;
  });
  return sql<boolean>`audience.name ~ ${pattern.join('')}`;
}

function asItIs(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
