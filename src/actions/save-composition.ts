import { historyFigures } from '../domain/history/figures.ts';
import type { CompositionBasis, CompositionCounts } from '../records/audiences/compositions.ts';
import type { Records } from '../records/records.ts';

/**
 * Saves a composition together with the audience's matched devices and history. Returns false, and saves
 * nothing, if the audience has changed since the basis was read, or the universe has and
 * `evenIfStale` is false. A composition saved stale is computed again later.
 */
export function saveComposition(
  records: Records,
  basis: CompositionBasis,
  counts: CompositionCounts,
  { evenIfStale }: { readonly evenIfStale: boolean },
): Promise<boolean> {
  return records.inTransaction(async (tx) => {
    await tx.refuseNewerSchema();
    if (!(await tx.audiences.lockUnchanged(basis))) return false;
    if (!evenIfStale && !(await tx.universe.isUpToDate(basis.universe.version))) return false;
    await tx.audiences.setMatched(basis.audienceId, {
      matchedDevices: counts.get(basis.universe.segmentId)?.devices ?? 0,
      universeVersion: basis.universe.version,
    });
    await tx.compositions.replace(basis, counts);
    await tx.audienceHistory.add(basis, historyFigures(basis, counts));
    return true;
  });
}
