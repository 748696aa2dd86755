import type { Disclosures } from '../domain/disclosure/disclosure.ts';
import { historyFigures } from '../domain/history/figures.ts';
import type {
  CompositionBasis,
  CompositionCounts,
  ReleasedCounts,
  SavedComposition,
} from '../records/audiences/compositions.ts';
import type { Records } from '../records/records.ts';
import { emitAudiences } from './job-events.ts';

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
 * Saves compositions together with the audiences' matched devices and histories, in one transaction. All have
 * the same version of the universe. Compositions saved stale are computed again later.
 */
export function saveCompositions(
  records: Records,
  compositions: readonly CountedComposition[],
  { evenIfStale, disclosures }: SaveOptions,
): Promise<Saved[]> {
  return records.inTransaction(async (tx) => {
    await tx.refuseNewerSchema();
    const unchanged = await tx.audiences.lockUnchanged(compositions.map(({ basis }) => basis));
    const [first] = compositions;
    if (!first) return [];
    if (!evenIfStale && !(await tx.universe.isUpToDate(first.basis.universe.version))) {
      return compositions.map(() => 'changed');
    }
    const outcomes: Saved[] = [];
    const saved: SavedComposition[] = [];
    const held: number[] = [];
    for (const composition of compositions) {
      const { basis, counts, fingerprint } = composition;
      if (!unchanged.has(basis.audienceId)) {
        outcomes.push('changed');
        continue;
      }
      const sizes = await release(tx, composition, disclosures);
      outcomes.push(sizes ? 'saved' : 'held');
      if (!sizes) {
        held.push(basis.audienceId);
        continue;
      }
      const released = {
        ...sizes,
        fingerprint,
        uniqueDevices: basis.audience.devices,
        ownMatched: ownMatched(composition),
        isOwn: basis.foreignState === '',
        erasures: basis.erasures,
      };
      saved.push({ basis, counts, released });
    }
    if (held.length > 0) await tx.audiences.holdReports(held);
    if (saved.length > 0) {
      const changed = await save(tx, saved, disclosures);
      const audiences = saved
        .map(({ basis }) => basis)
        .filter(({ audienceId }) => changed.has(audienceId));
      await emitAudiences(tx, 'composition.updated', audiences, disclosures);
    }
    return outcomes;
  });
}

/** Returns the audiences whose figures changed. */
async function save(
  tx: Records,
  saved: readonly SavedComposition[],
  disclosures: Disclosures,
): Promise<Set<number>> {
  await tx.audiences.setMatched(
    saved.map(({ basis, counts }) => ({
      audienceId: basis.audienceId,
      matchedDevices: matchedDevices({ basis, counts }),
      universeVersion: basis.universe.version,
    })),
  );
  await tx.compositions.replace(saved);
  const { threshold } = disclosures.rules;
  return tx.audienceHistory.add(
    saved.map(({ basis, counts, released }) => ({
      audienceId: basis.audienceId,
      reasons: basis.reasons,
      ...historyFigures(basis, counts, released, disclosures.of(basis.disclosure), threshold),
    })),
  );
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

function matchedDevices({ basis, counts }: Pick<CountedComposition, 'basis' | 'counts'>): number {
  return counts.get(basis.universe.segmentId)?.devices ?? 0;
}
