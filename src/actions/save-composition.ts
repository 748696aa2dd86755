import type { Disclosures } from '../domain/disclosure/disclosure.ts';
import { historyFigures } from '../domain/history/figures.ts';
import type {
  CompositionBasis,
  CompositionCounts,
  ReleasedCounts,
} from '../records/audiences/compositions.ts';
import type { Records } from '../records/records.ts';

export interface CountedComposition {
  readonly basis: CompositionBasis;
  readonly counts: CompositionCounts;
  /** Identifies the audience's devices. */
  readonly fingerprint: string;
}

interface SaveOptions {
  readonly evenIfStale: boolean;
  readonly disclosures: Disclosures;
}

/**
 * `changed`: nothing is saved, because the audience has changed since the basis was read, or the universe
 * has and `evenIfStale` is false. `held`: the last composition stays until the next day, because the partner
 * has had too many contents reported on.
 */
type Saved = 'saved' | 'changed' | 'held';

/**
 * Saves a composition together with the audience's matched devices and history. A composition saved stale is
 * computed again later.
 */
export function saveComposition(
  records: Records,
  composition: CountedComposition,
  { evenIfStale, disclosures }: SaveOptions,
): Promise<Saved> {
  const { basis, counts, fingerprint } = composition;
  return records.inTransaction(async (tx) => {
    await tx.refuseNewerSchema();
    if (!(await tx.audiences.lockUnchanged(basis))) return 'changed';
    if (!evenIfStale && !(await tx.universe.isUpToDate(basis.universe.version))) return 'changed';
    const sizes = await release(tx, composition, disclosures);
    if (!sizes) {
      await tx.audiences.holdReport(basis.audienceId);
      return 'held';
    }
    await tx.audiences.setMatched(basis.audienceId, {
      matchedDevices: matchedDevices(composition),
      universeVersion: basis.universe.version,
    });
    const released = {
      ...sizes,
      fingerprint,
      uniqueDevices: basis.audience.devices,
      ownMatched: ownMatched(composition),
      isOwn: basis.foreignState === '',
      erasures: basis.erasures,
    };
    await tx.compositions.replace(basis, counts, released);
    const disclosure = disclosures.of(basis.disclosure);
    const { threshold } = disclosures.rules;
    const figures = historyFigures(basis, counts, released, disclosure, threshold);
    await tx.audienceHistory.add(basis, figures);
    return 'saved';
  });
}

async function release(
  tx: Records,
  composition: CountedComposition,
  disclosures: Disclosures,
): Promise<ReleasedCounts | undefined> {
  const { basis, fingerprint } = composition;
  const counted = {
    universeVersion: basis.universe.version,
    matchedDevices: matchedDevices(composition),
    universeDevices: basis.universe.devices,
  };
  const { partnerId, foreignState } = basis;
  const isExact = disclosures.of(basis.disclosure).mode === 'exact';
  // Without devices of other partners there is nothing to protect.
  if (isExact || foreignState === '') return counted;
  const isCharged = isNewOfPartner(composition);
  const content = { ...counted, partnerId, fingerprint, foreignState, isCharged };
  return tx.reportedContents.release(content, disclosures.rules.contentsPerDay);
}

/** Whether the partner made these contents. Erasures change an audience as well. */
function isNewOfPartner({ basis, fingerprint }: CountedComposition): boolean {
  const { last, generation, uploadedDevices } = basis;
  if (!last) return true;
  if (last.fingerprint === fingerprint) return false;
  if (!last.state) return last.segmentVersion !== basis.audience.version;
  return last.state.generation !== generation || last.state.uploadedDevices !== uploadedDevices;
}

function ownMatched({ basis, counts }: CountedComposition): number {
  let most = 0;
  for (const { segmentId, partnerId } of basis.attributes) {
    if (partnerId !== basis.partnerId) continue;
    most = Math.max(most, counts.get(segmentId)?.devices ?? 0);
  }
  return most;
}

function matchedDevices({ basis, counts }: CountedComposition): number {
  return counts.get(basis.universe.segmentId)?.devices ?? 0;
}
