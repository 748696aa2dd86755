import { ManifestConflict } from '../../domain/errors.ts';
import type { ManifestChange, Run, StagedRun } from '../../records/warehouse/manifest.ts';
import type { PendingFold } from '../../records/warehouse/universe.ts';
import { createFoldInTurn } from '../fold-in-turn.ts';
import type { FoldedUniverse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { devicesIn, numbered, runNumbered, stagedRun, within } from './rows/sql.ts';
import { whileThere } from './rows/still-there.ts';

export function createUniverseFold(
  engine: Engine,
): (signal: AbortSignal) => Promise<FoldedUniverse> {
  return createFoldInTurn(
    engine.records.universe,
    (signal) => fold(engine, signal),
    (error) => error instanceof ManifestConflict,
  );
}

async function fold(engine: Engine, signal: AbortSignal): Promise<FoldedUniverse> {
  const { cluster, records } = engine;
  const { universe, runFiles } = records;
  let pending: PendingFold | undefined;
  const change = await whileThere<readonly Run[], ManifestChange>(
    engine,
    async () => {
      pending = await universe.pending();
      return [...pending.added, ...pending.runs, ...pending.attributeRuns];
    },
    async () =>
      pending!.changes.length === 0
        ? { add: [], drop: [] }
        : await withMaintenanceBatch({ cluster, runFiles }, (batch) =>
            foldInto(engine, pending!, batch, signal),
          ),
  );
  const { segmentId, changes } = pending!;
  if (changes.length === 0) return { segmentId, version: pending!.version, folded: 0 };
  const version = await universe.commit(pending!, change);
  return { segmentId, version, folded: changes.length };
}

/** Writes what is new as the batch's first run, and after it what is left of runs that shrink. */
async function foldInto(
  engine: Engine,
  { segmentId, added, dropped, runs, attributeRuns }: PendingFold,
  batch: number,
  signal: AbortSignal,
): Promise<ManifestChange> {
  const { cluster } = engine;
  const options = { signal, timeoutMs: longTimeoutMs };

  async function executeAll(devices: number, sql: (pass: string) => string): Promise<void> {
    for (const pass of await passesOver(devices, engine)) {
      await cluster.onEach((shard) => shard.execute(sql(pass), options));
    }
  }

  if (added.length > 0) {
    await executeAll(devicesIn(added), (pass) => {
      const brought = devicesOf(added, pass);
      const known = runs.length > 0 ? `${devicesOf(runs, pass)} and device in (${brought})` : null;
      return `
        insert into run_device (run_id, device)
        select ${runNumbered(batch, '0')}, device from (${brought})
        ${known ? `where device not in (${known})` : ''} group by device`;
    });
  }
  const drop = dropped.length > 0 && runs.length > 0 ? await removeGone() : [];
  const counts = await devicesByRun(cluster, batch, signal);
  const add = [...counts].map(([id, devices]) => stagedRun(BigInt(id), segmentId, devices));
  return { add, drop };

  /** Devices that no attribute has any more. Suspects are only those of runs that were dropped. */
  async function removeGone(): Promise<Run[]> {
    const suspects = devicesIn(dropped);
    await executeAll(suspects, (pass) => {
      const left = devicesOf(dropped, pass);
      const kept = `${devicesOf(attributeRuns, pass)} and device in (${left})`;
      return `
        insert into loaded_row (batch, removes, list, device)
        select toUInt64(${batch}), toUInt8(1), toUInt32(0), device from (${left})
        ${attributeRuns.length > 0 ? `where device not in (${kept})` : ''} group by device`;
    });
    const gone = (pass: string) =>
      `select device from loaded_row where batch = ${batch} and ${pass}`;
    const losing = new Set<string>();
    for (const pass of await passesOver(suspects, engine)) {
      const lost = await cluster.sums(
        `select run_id, count() from run_device
        where ${within(runs)} and ${pass} and device in (${gone(pass)}) group by run_id`,
        options,
      );
      for (const id of lost.keys()) losing.add(id);
    }
    const shrinking = runs.filter((run) => losing.has(String(runIdOf(run))));
    if (shrinking.length === 0) return [];
    const numbers = shrinking.map((_, i) => i + 1);
    await executeAll(
      suspects,
      (pass) => `
        insert into run_device (run_id, device)
        select ${runNumbered(batch, numbered(shrinking, numbers))}, device from run_device
        where ${within(shrinking)} and ${pass} and device not in (${gone(pass)})`,
    );
    return shrinking;
  }
}

function devicesOf(runs: readonly StagedRun[], pass: string): string {
  return `select device from run_device where ${within(runs)} and ${pass}`;
}
