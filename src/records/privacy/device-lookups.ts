import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';

/** Two segments that hold the devices and the digests of a lookup while it runs. */
export interface LookupSegments {
  readonly devices: number;
  readonly digests: number;
}

/** An attribute or an audience, and the segment with its devices. */
export interface SearchedSegment {
  readonly segmentId: number;
  readonly attributeId: number | null;
  readonly audienceId: number | null;
  readonly name: string;
  readonly partnerId: number;
}

/** When a run was committed. `isExact` is false if its devices came before, in runs that were merged. */
interface RunTime {
  readonly committedAt: Date;
  readonly isExact: boolean;
}

export type DeviceLookups = ReturnType<typeof createDeviceLookups>;

/** What a search for devices needs. */
export function createDeviceLookups(db: Database) {
  return {
    async createSegments(): Promise<LookupSegments> {
      const { rows } = await sql<{ id: number; kind: string }>`
        with created as (
          insert into segment (kind) values ('suppression'), ('digest') returning segment_id, kind
        ), noted as (insert into privacy_lookup (segment_id) select segment_id from created)
        select segment_id as id, kind from created
      `.execute(db);
      const idOf = (kind: string) => rows.find((row) => row.kind === kind)!.id;
      return { devices: idOf('suppression'), digests: idOf('digest') };
    },

    /** The segments of all lookups, also of those that were interrupted. */
    async segments(): Promise<number[]> {
      const rows = await db.selectFrom('privacy_lookup').select('segment_id').execute();
      return rows.map(({ segment_id }) => segment_id);
    },

    /** Deletes segments without runs. */
    async removeSegments(segmentIds: readonly number[]): Promise<void> {
      const isOne = sql`segment_id = any(${[...segmentIds]}::bigint[])`;
      await sql`delete from privacy_lookup where ${isOne}`.execute(db);
      await sql`delete from segment where ${isOne}`.execute(db);
    },

    /** All attributes and audiences that have devices, in the order of their segments. */
    async searched(): Promise<SearchedSegment[]> {
      const { rows } = await sql<SearchedSegment>`
        select segment_id as "segmentId", attribute_id as "attributeId",
          audience_id as "audienceId", name, partner_id as "partnerId"
        from (
          select segment_id, attribute_id, null::bigint as audience_id, name, partner_id
          from attribute
          union all
          select segment_id, null, audience_id, name, partner_id from audience
        ) as owned
        where exists (select from run where run.segment_id = owned.segment_id)
        order by segment_id
      `.execute(db);
      return rows;
    },

    /** When these runs were committed. Runs that are gone are left out. */
    async runTimes(runIds: readonly number[]): Promise<Map<number, RunTime>> {
      const { rows } = await sql<RunTime & { runId: number }>`
        select run_id as "runId", run.created_at as "committedAt",
          job_id is not null as "isExact"
        from run join run_file using (file)
        where run_id = any(${[...runIds]}::bigint[])
      `.execute(db);
      return new Map(rows.map(({ runId, ...time }) => [runId, time]));
    },
  };
}
