import type { Profiles } from '../../records/warehouse/profiles.ts';
import { neededRuns } from '../needed-runs.ts';
import type { Warehouse } from '../port.ts';
import { retryIfRemoved } from './file/run-opener.ts';
import type { GatherRequest, Sets } from './sets/sets.ts';

export interface CheckSuppressedDependencies {
  readonly profiles: Pick<Profiles, 'sourcesOf'>;
  readonly sets: Sets;
}

export function createCheckSuppressed({
  profiles,
  sets,
}: CheckSuppressedDependencies): Warehouse['checkSuppressed'] {
  async function hasAny(request: GatherRequest, signal: AbortSignal): Promise<boolean> {
    for await (const { devices } of sets.gather(request, signal))
      if (devices.length > 0) return true;
    return false;
  }

  return (staged, { plain, digests }, signal) =>
    retryIfRemoved(async () => {
      await using held = new AsyncDisposableStack();
      const sources = await profiles.sourcesOf([plain.segmentId, digests.segmentId]);
      const [listed, hashed] = neededRuns([plain, digests], sources);
      const take = await sets.open(async () => staged.map((run) => ({ ...run, runId: 0 })), held);
      const within = await sets.open(async () => listed!.runs, held);
      const digested = await sets.open(async () => hashed!.runs, held);
      const isAny =
        (within.length > 0 && (await hasAny({ take, within }, signal))) ||
        (digested.length > 0 && (await hasAny({ take, digested }, signal)));
      return { versions: { plain: listed!.version, digests: hashed!.version }, isAny };
    });
}
