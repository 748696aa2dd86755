import type { Run } from '../../../records/warehouse/manifest.ts';
import type { Suppressed } from '../../port.ts';
import type { DigestTables } from '../digests/digest-tables.ts';
import type { RunOpener } from '../file/run-opener.ts';
import type { ReadableSuppression } from './tasks/mark-suppressed.ts';

interface SuppressionSource {
  readonly opener: RunOpener;
  readonly digestTables: DigestTables;
  runsOf(segmentIds: readonly number[]): Promise<readonly Run[]>;
}

/** Opens the suppressed sets until `held` is disposed. Null if both are empty. */
export async function openSuppression(
  { opener, digestTables, runsOf }: SuppressionSource,
  { plain, digests, known }: Suppressed,
  held: AsyncDisposableStack,
): Promise<ReadableSuppression | null> {
  const sets = await opener.open(() => runsOf([plain, digests]), held);
  if (sets.length === 0) return null;
  const plainRuns = sets.filter(({ run }) => run.segmentId === plain);
  const digestRuns = sets.filter(({ run }) => run.segmentId === digests);
  if (digestRuns.length === 0) {
    return { plain: plainRuns.map(({ open }) => open), digests: null, known: [] };
  }
  const knownRuns = known === null ? [] : await opener.open(() => runsOf([known]), held);
  return {
    plain: plainRuns.map(({ open }) => open),
    digests: await digestTables(digestRuns),
    known: knownRuns.map(({ open }) => open),
  };
}
