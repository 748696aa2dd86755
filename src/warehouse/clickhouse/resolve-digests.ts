import { neededRuns } from '../needed-runs.ts';
import type { Maintenance } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { withCurrentRuns } from './rows/current-runs.ts';
import { forEachDigests } from './rows/digests.ts';
import { runIdExpression, stagedRun, within } from './rows/sql.ts';

/** Hashes every stored device, once for as many digests as fit into a shard's memory. */
export function createResolveDigests(engine: Engine): Maintenance['resolveDigests'] {
  const { cluster, records } = engine;
  const { manifest, profiles, runFiles, suppression } = records;
  return async (digests, into, signal) => {
    const options = { signal, timeoutMs: longTimeoutMs };
    const change = await withCurrentRuns(
      engine,
      async () => {
        const gained = neededRuns([digests], await profiles.sourcesOf([digests.segmentId]))[0]!
          .runs;
        const { runs: stored } = await suppression.storedRuns();
        const known = await manifest.runsOf([into]);
        return Object.assign([...gained, ...stored, ...known], { gained, stored, known });
      },
      async ({ gained, stored, known }) => {
        if (gained.length === 0 || stored.length === 0) return { add: [], drop: [] };
        return await withMaintenanceBatch({ cluster, runFiles }, async (batch) => {
          await forEachDigests(engine, gained, signal, (matches) =>
            executeAll(`
              insert into loaded_row (batch, removes, list, device)
              select toUInt64(${batch}), toUInt8(0), toUInt32(0), device from run_device
              where ${within(stored)} and ${matches} group by device`),
          );
          const matched = `select device from loaded_row where batch = ${batch}`;
          const isKnown = `device in (
            select device from run_device where ${within(known)} and device in (${matched})
          )`;
          await executeAll(`
            insert into run_device (run_id, device)
            select ${runIdExpression(batch, '0')}, device from (${matched})
            ${known.length > 0 ? `where not ${isKnown}` : ''} group by device`);
          const counts = await devicesByRun(cluster, batch, signal);
          const add = [...counts].map(([id, devices]) => stagedRun(BigInt(id), into, devices));
          return { add, drop: [] };
        });
      },
    );
    return { change, isComplete: true };

    async function executeAll(sql: string): Promise<void> {
      await cluster.onEach((shard) => shard.execute(sql, options));
    }
  };
}
