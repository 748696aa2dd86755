import { sql } from 'kysely';
import type { AttributeCause } from '../../domain/history/reasons.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';

/** A change of an attribute's devices. */
export interface AttributeChange {
  /** Counts the changes of the attribute. */
  readonly number: number;
  readonly changedAt: Date;
  readonly reason: AttributeCause;
  /** The devices after it. */
  readonly uniqueDevices: number;
}

export type AttributeHistory = ReturnType<typeof createAttributeHistory>;

export function createAttributeHistory(db: Database) {
  return {
    /** The latest change first. */
    async list(attributeId: number, { after, limit }: Page): Promise<AttributeChange[]> {
      const { rows } = await sql<AttributeChange>`
        select version as number, changed_at as "changedAt", cause as reason,
          devices as "uniqueDevices"
        from attribute_history
        where segment_id = (select segment_id from attribute where attribute_id = ${attributeId})
          and version < ${after ?? Number.MAX_SAFE_INTEGER}
        order by version desc
        limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

/** An attribute at its new version, and how many devices it gained with that, or lost. */
interface ChangedAttribute {
  readonly segmentId: number;
  readonly version: number;
  readonly gained: number;
}

/**
 * Notes the devices of attributes whose runs have changed. One statement for all, because an import may
 * change ten thousand. It adds to the row before, which is faster than to sum up the runs.
 */
export async function addAttributeHistory(
  db: Database,
  changes: readonly ChangedAttribute[],
  cause: AttributeCause,
): Promise<void> {
  if (changes.length === 0) return;
  const column = (of: (change: ChangedAttribute) => number) => changes.map(of);
  await sql`
    with changed as (
      select * from unnest(
        ${column(({ segmentId }) => segmentId)}::bigint[], ${column(({ version }) => version)}::bigint[],
        ${column(({ gained }) => gained)}::bigint[]
      ) as changed (segment_id, version, gained)
    ), outdated as (
      delete from attribute_history using changed
      where changed.version > ${limits.historyRows.most}
        and attribute_history.segment_id = changed.segment_id
        and attribute_history.version <= changed.version - ${limits.historyRows.most}
    )
    insert into attribute_history (segment_id, version, cause, devices)
    select changed.segment_id, changed.version, ${cause}, coalesce(before.devices + gained, (
      select sum(devices)::bigint from run where run.segment_id = changed.segment_id
    ), 0)
    from changed left join attribute_history as before
      on before.segment_id = changed.segment_id and before.version = changed.version - 1
  `.execute(db);
}
