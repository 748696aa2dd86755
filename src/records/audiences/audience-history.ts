import { sql } from 'kysely';
import type { HistoryFigures } from '../../domain/history/figures.ts';
import type { AudienceReason } from '../../domain/history/reasons.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';

/** A change of an audience's figures. */
export interface AudienceChange {
  /** Counts the changes of the audience. */
  readonly number: number;
  readonly changedAt: Date;
  readonly reasons: readonly AudienceReason[];
  readonly uniqueDevices: number;
  readonly matchedDevices: number;
  readonly universeDevices: number;
  /** Without attributes that were deleted since. */
  readonly top: readonly TopAttributeRow[];
}

interface TopAttributeRow {
  readonly attributeId: number;
  readonly name: string;
  readonly audienceDevices: number;
  readonly baselineDevices: number;
}

interface Counted {
  readonly audienceId: number;
  readonly reasons: readonly AudienceReason[];
}

/** Null: the universe is as large as before. */
type NewFigures = Omit<HistoryFigures, 'universeDevices'> & {
  readonly universeDevices: number | null;
};

export type AudienceHistory = ReturnType<typeof createAudienceHistory>;

export function createAudienceHistory(db: Database) {
  /**
   * Adds a row if the figures differ from the last row, or from nothing if there is none. A new size of
   * the universe alone adds no row. Call it in a transaction that has the audience locked.
   */
  async function add({ audienceId, reasons }: Counted, figures: NewFigures): Promise<void> {
    const { uniqueDevices, matchedDevices, universeDevices, top } = figures;
    const topSegments = top.map(({ segmentId }) => segmentId);
    const topDevices = top.map(({ audienceDevices }) => audienceDevices);
    const topBaselines = top.map(({ baselineDevices }) => baselineDevices);
    await sql`
      with last as (
        select number, unique_devices, matched_devices, universe_devices, top_segments, top_devices
        from audience_history where audience_id = ${audienceId}
        union all select 0, 0, 0, 0, '{}', '{}'
        order by number desc
        limit 1
      ), added as (
        insert into audience_history (
          audience_id, number, reasons, unique_devices, matched_devices, universe_devices,
          top_segments, top_devices, top_baselines
        )
        select ${audienceId}, number + 1, ${reasons}::text[], ${uniqueDevices}, ${matchedDevices},
          coalesce(${universeDevices}, universe_devices), ${topSegments}::bigint[], ${topDevices}::bigint[],
          ${topBaselines}::bigint[]
        from last
        where (unique_devices, matched_devices, top_segments, top_devices) is distinct from (
          ${uniqueDevices}::bigint, ${matchedDevices}::bigint, ${topSegments}::bigint[],
          ${topDevices}::bigint[]
        )
        returning number
      )
      delete from audience_history using added
      where audience_id = ${audienceId}
        and audience_history.number <= added.number - ${limits.historyRows.most}
    `.execute(db);
  }

  return {
    add,

    async addCleared(audienceId: number): Promise<void> {
      const empty = { uniqueDevices: 0, matchedDevices: 0, universeDevices: null, top: [] };
      await add({ audienceId, reasons: ['clear'] }, empty);
    },

    /** The latest change first. */
    async list(audienceId: number, { after, limit }: Page): Promise<AudienceChange[]> {
      const { rows } = await sql<AudienceChange>`
        select number, changed_at as "changedAt", reasons, unique_devices as "uniqueDevices",
          matched_devices as "matchedDevices", universe_devices as "universeDevices", (
            select coalesce(json_agg(json_build_object(
              'attributeId', attribute_id, 'name', name, 'audienceDevices', audience_devices,
              'baselineDevices', baseline_devices
            ) order by place), '[]')
            from unnest(top_segments, top_devices, top_baselines) with ordinality
              as top (segment_id, audience_devices, baseline_devices, place)
            join attribute using (segment_id)
          ) as top
        from audience_history
        where audience_id = ${audienceId} and number < ${after ?? Number.MAX_SAFE_INTEGER}
        order by number desc
        limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}
