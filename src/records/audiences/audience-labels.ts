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
    /** In the order in which they were added. */
    async of(audienceId: number): Promise<AudienceLabel[]> {
      const rows = await db
        .selectFrom('audience_label')
        .select(['segment_id', 'label'])
        .where('audience_id', '=', audienceId)
        .orderBy('segment_id')
        .execute();
      return rows.map((row) => ({ label: row.label.toString(), segmentId: row.segment_id }));
    },

    /** Ids for segments that `add` may create. A load needs them before it commits. */
    async reserveSegments(count: number): Promise<number[]> {
      const { rows } = await sql<{ segmentId: number }>`
        select nextval(pg_get_serial_sequence('segment', 'segment_id')) as "segmentId"
        from generate_series(1, ${count}::integer)
      `.execute(db);
      return rows.map(({ segmentId }) => segmentId);
    },

    /** Call it in the transaction that commits the labels' devices. */
    async add(audienceId: number, labels: readonly AudienceLabel[]): Promise<void> {
      const segmentIds = labels.map(({ segmentId }) => segmentId);
      await sql`
        insert into segment (segment_id, kind) overriding system value
        select segment_id, 'label' from unnest(${segmentIds}::bigint[]) as given (segment_id)
      `.execute(db);
      await sql`
        insert into audience_label (audience_id, segment_id, label)
        select ${audienceId}::bigint, given.*
        from unnest(
          ${segmentIds}::bigint[], ${labels.map(({ label }) => Buffer.from(label))}::bytea[]
        ) as given
      `.execute(db);
    },

    /** Removes labels whose segments have no runs; call it in the transaction that drops the runs. */
    async remove(segmentIds: readonly number[]): Promise<void> {
      for (const table of ['audience_label', 'segment'] as const) {
        await sql`
          delete from ${sql.table(table)} where segment_id = any(${segmentIds}::bigint[])
        `.execute(db);
      }
    },
  };
}
