import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';

/** An event label of an audience, and the segment that holds its devices. */
export interface AudienceLabel {
  readonly label: string;
  readonly segmentId: number;
}

export type AudienceLabels = ReturnType<typeof createAudienceLabels>;

export function createAudienceLabels(db: Database) {
  return {
    /** In the order in which they came. */
    async of(audienceId: number): Promise<AudienceLabel[]> {
      const rows = await db
        .selectFrom('audience_label')
        .select(['segment_id', 'label'])
        .where('audience_id', '=', audienceId)
        .orderBy('segment_id')
        .execute();
      return rows.map((row) => ({ label: row.label.toString(), segmentId: row.segment_id }));
    },

    /** Ids for segments that `add` may make: a load must know them before it knows that it commits. */
    async reserveSegments(count: number): Promise<number[]> {
      const { rows } = await sql<{ segmentId: number }>`
        select nextval(pg_get_serial_sequence('segment', 'segment_id')) as "segmentId"
        from generate_series(1, ${count}::integer)
      `.execute(db);
      return rows.map(({ segmentId }) => segmentId);
    },

    /** Call it in the transaction that commits what the labels hold. */
    async add(audienceId: number, labels: readonly AudienceLabel[]): Promise<void> {
      const segmentIds = labels.map(({ segmentId }) => segmentId);
      await sql`
        insert into segment (segment_id, kind) overriding system value
        select segment_id, 'label' from unnest(${segmentIds}::bigint[]) as made (segment_id)
      `.execute(db);
      await sql`
        insert into audience_label (audience_id, segment_id, label)
        select ${audienceId}::bigint, made.*
        from unnest(
          ${segmentIds}::bigint[], ${labels.map(({ label }) => Buffer.from(label))}::bytea[]
        ) as made
      `.execute(db);
    },

    /** Labels whose segments hold no runs any more; call it in the transaction that drops them. */
    async remove(segmentIds: readonly number[]): Promise<void> {
      for (const table of ['audience_label', 'segment'] as const) {
        await sql`
          delete from ${sql.table(table)} where segment_id = any(${segmentIds}::bigint[])
        `.execute(db);
      }
    },
  };
}
