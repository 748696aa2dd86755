import type { Run } from '../../records/warehouse/manifest.ts';
import { type NeededRuns, neededRuns } from '../needed-runs.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { matchesDigest } from './rows/digests.ts';
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
        const conditions = await conditionsOf(listed!.runs, hashed!.runs);
        let isAny = false;
        for (const condition of staged.length > 0 ? conditions : []) {
          const counts = await cluster.sums(
            `select 'devices', count() from run_device where ${within(staged)} and ${condition}`,
            { signal, timeoutMs: longTimeoutMs },
          );
          isAny ||= (counts.get('devices') ?? 0) > 0;
        }
        await checkStagedRuns(engine, staged, signal);
        return { versions: { plain: listed!.version, digests: hashed!.version }, isAny };
      },
    );
  };

  async function conditionsOf(listed: readonly Run[], hashed: readonly Run[]): Promise<string[]> {
    const passes = listed.length > 0 ? await passesOver(devicesIn(listed), engine) : [];
    const isListed = passes.map(
      (pass) =>
        `${pass} and device in (select device from run_device where ${within(listed)} and ${pass})`,
    );
    return [...isListed, ...(hashed.length > 0 ? matchesDigest(engine, hashed) : [])];
  }
}
