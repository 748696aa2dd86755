import { sql } from 'kysely';
import {
  type AudienceReason,
  type CausedVersions,
  changedAttributes,
  reasonsOf,
} from '../../domain/history/reasons.ts';
import type { Database } from '../database/connection.ts';
import { readAsJson } from '../database/json-rows.ts';

/** An audience and what its last composition counted. */
interface CountedBasis {
  readonly universe: { readonly segmentId: number };
  readonly attributes: readonly { readonly segmentId: number; readonly version: number }[];
  readonly last: {
    readonly segmentVersion: number;
    readonly counted: ReadonlyMap<number, { readonly version: number }>;
  } | null;
}

/**
 * Why audiences differ from their last compositions. The causes of the changes of attributes are read once
 * for all of them, and only if there are changes.
 */
export async function readReasons(
  db: Database,
  bases: readonly CountedBasis[],
): Promise<(basis: CountedBasis, causes: CausedVersions) => AudienceReason[]> {
  const isChanged = bases.some((basis) => changesSince(basis).next().done === false);
  const causesOf = isChanged ? await readCauses(db) : new Map<number, CausedVersions>();
  return (basis, causes) => {
    const audience = { causes, since: basis.last?.segmentVersion ?? null };
    return reasonsOf(audience, changesSince(basis), causesOf);
  };
}

function changesSince({ last, attributes, universe }: CountedBasis) {
  // Without a last composition, only the audience itself counts.
  const counted = last ? attributes : [];
  return changedAttributes(last?.counted ?? new Map(), counted, universe.segmentId);
}

async function readCauses(db: Database): Promise<Map<number, CausedVersions>> {
  const rows = await readAsJson(
    db,
    sql<{ segmentId: number; causes: CausedVersions }>`
      select segment_id as "segmentId", changed_by as causes from segment where kind = 'attribute'
    `,
  );
  return new Map(rows.map(({ segmentId, causes }) => [segmentId, causes]));
}
