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

/** An audience and its figures. */
type NewFigures = Omit<HistoryFigures, 'universeDevices'> & {
  readonly audienceId: number;
  readonly reasons: readonly AudienceReason[];
  /** Null: the universe is as large as before. */
  readonly universeDevices: number | null;
};

export type AudienceHistory = ReturnType<typeof createAudienceHistory>;

export function createAudienceHistory(db: Database) {
  /**
   * Adds a row for each audience whose figures differ from its last row, or from nothing if there is none. A
   * new size of the universe alone adds no row. Call it in a transaction that has the audiences locked. Returns
   * the audiences with a new row.
   */
  async function add(figures: readonly NewFigures[]): Promise<Set<number>> {
    const given = figures.map(({ top, ...figures }) => ({
      ...figures,
      topSegments: top.map(({ segmentId }) => segmentId),
      topDevices: top.map(({ audienceDevices }) => audienceDevices),
      topBaselines: top.map(({ baselineDevices }) => baselineDevices),
    }));
    const { rows } = await sql<{ audienceId: number }>`
      with added as (
        insert into audience_history (
          audience_id, number, reasons, unique_devices, matched_devices, universe_devices,
          top_segments, top_devices, top_baselines
        )
        select "audienceId", number + 1, given.reasons, "uniqueDevices", "matchedDevices",
          coalesce("universeDevices", universe_devices), "topSegments", "topDevices", "topBaselines"
        from json_to_recordset(${JSON.stringify(given)}) as given (
          "audienceId" bigint, reasons text[], "uniqueDevices" bigint, "matchedDevices" bigint,
          "universeDevices" bigint, "topSegments" bigint[], "topDevices" bigint[],
          "topBaselines" bigint[]
        ) cross join lateral (
          select number, unique_devices, matched_devices, universe_devices, top_segments, top_devices
          from audience_history where audience_id = "audienceId"
          union all select 0, 0, 0, 0, '{}', '{}'
          order by number desc
          limit 1
        ) as last
        where (unique_devices, matched_devices, top_segments, top_devices) is distinct from (
          "uniqueDevices", "matchedDevices", "topSegments", "topDevices"
        )
        returning audience_id, number
      ), dropped as (
        delete from audience_history as old using added
        where old.audience_id = added.audience_id
          and old.number <= added.number - ${limits.historyRows.most}
      )
      select audience_id as "audienceId" from added
    `.execute(db);
    return new Set(rows.map(({ audienceId }) => audienceId));
  }

  return {
    add,

    async addCleared(audienceId: number): Promise<void> {
      const empty = { uniqueDevices: 0, matchedDevices: 0, universeDevices: null, top: [] };
      await add([{ audienceId, reasons: ['clear'], ...empty }]);
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
