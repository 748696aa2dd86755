import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import { type NeededRuns, neededRuns } from '../needed-runs.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { forEachDigests } from './rows/digests.ts';
import { passesOver } from './rows/passes.ts';
import { devicesIn, within } from './rows/sql.ts';

export function createCheckSuppressed(engine: Engine): Warehouse['checkSuppressed'] {
  const { cluster, records } = engine;
  return async (staged, { plain, digests }, signal) => {
    let needed: readonly NeededRuns[] = [];
    return await withCurrentRuns(
      engine,
      async (): Promise<readonly Run[]> => {
        const sources = await records.profiles.sourcesOf([plain.segmentId, digests.segmentId]);
        needed = neededRuns([plain, digests], sources);
        return needed.flatMap(({ runs }) => runs);
      },
      async () => {
        const [listed, hashed] = needed;
        const isAny = staged.length > 0 && (await isAnyIn(staged, listed!, hashed!, signal));
        await checkStagedRuns(engine, staged, signal);
        return { versions: { plain: listed!.version, digests: hashed!.version }, isAny };
      },
    );
  };

  async function isAnyIn(
    staged: readonly StagedRun[],
    { runs: listed }: NeededRuns,
    { runs: hashed }: NeededRuns,
    signal: AbortSignal,
  ): Promise<boolean> {
    let devices = 0;

    async function count(condition: string): Promise<void> {
      const counts = await cluster.sums(
        `select 'devices', count() from run_device where ${within(staged)} and ${condition}`,
        { signal, timeoutMs: longTimeoutMs },
      );
      devices += counts.get('devices') ?? 0;
    }

    const passes = listed.length > 0 ? await passesOver(devicesIn(listed), engine) : [];
    for (const pass of passes) {
      await count(
        `${pass} and device in (select device from run_device where ${within(listed)} and ${pass})`,
      );
    }
    if (hashed.length > 0) await forEachDigests(engine, hashed, signal, count);
    return devices > 0;
  }
}
