import { ManifestConflict } from '../../domain/errors.ts';
import type { ManifestChange, Run } from '../../records/warehouse/manifest.ts';
import type { StagedProfile } from '../../records/warehouse/profiles.ts';
import type { FoldChange, PendingFold } from '../../records/warehouse/universe.ts';
import { createExclusiveFold } from '../exclusive-fold.ts';
import type { FoldedUniverse } from '../port.ts';
import { deserveProfile } from '../rewrite-profiles.ts';
import type { Engine, UseEngine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { requireRows, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { type RunPlace, runIdOf } from './rows/run-ids.ts';
import {
  type DeviceTable,
  devicesIn,
  runIdExpression,
  runNumberExpression,
  stagedRun,
  within,
} from './rows/sql.ts';
import { writeProfiles } from './write-profiles.ts';

export function createUniverseFold(
  { universe }: Pick<Engine['records'], 'universe'>,
  use: UseEngine,
): (signal: AbortSignal) => Promise<FoldedUniverse> {
  return createExclusiveFold(
    universe,
    (signal) => use((engine) => fold(engine, signal)),
    (error) => error instanceof ManifestConflict,
  );
}

async function fold(engine: Engine, signal: AbortSignal): Promise<FoldedUniverse> {
  const { cluster, records } = engine;
  const { universe, runFiles } = records;
  await using held = new AsyncDisposableStack();
  let pending: PendingFold | undefined;
  const change = await withCurrentRuns<readonly Run[], FoldChange>(
    engine,
    async () => {
      pending = await universe.pending();
      const { added, runs, attributeRuns, profiles } = pending;
      return [...added, ...runs, ...attributeRuns, ...profiles.map(({ run }) => run)];
    },
    async () => {
      if (pending!.changes.length === 0) return { add: [], drop: [] };
      const { bare, dropped } = pending!;
      await requireRows(cluster, dropped);
      const profiles = deserveProfile(engine, bare)
        ? await writeProfiles(engine, bare, held, signal)
        : [];
      const ofUniverse = await withMaintenanceBatch({ cluster, runFiles }, (batch) =>
        foldInto(engine, pending!, profiles, batch, signal),
      );
      return { ...ofUniverse, profiles };
    },
  );
  const { segmentId, changes } = pending!;
  if (changes.length === 0) return { segmentId, version: pending!.version, folded: 0 };
  const version = await universe.commit(pending!, change);
  return { segmentId, version, folded: changes.length };
}

/** Writes new devices as run 0 of the batch, and the remainders of shrinking runs after it. */
async function foldInto(
  engine: Engine,
  pending: PendingFold,
  profiles: readonly StagedProfile[],
  batch: number,
  signal: AbortSignal,
): Promise<ManifestChange> {
  const { cluster } = engine;
  const { segmentId, added, dropped, runs } = pending;
  const options = { signal, timeoutMs: longTimeoutMs };

  async function executeAll(devices: number, sql: (pass: string) => string): Promise<void> {
    for (const pass of await passesOver(devices, engine)) {
      await cluster.onEach((shard) => shard.execute(sql(pass), options));
    }
  }

  if (added.length > 0) {
    const numbered = new Set(profiles.flatMap(({ sources }) => sources.map(({ runId }) => runId)));
    const others = added.filter(({ runId }) => !numbered.has(runId));
    // A profile holds the same devices as its runs, each once.
    const ofProfiles = profiles.map(({ run }) => run);
    await executeAll(devicesIn([...others, ...ofProfiles]), (pass) => {
      const incoming = [
        ...(others.length > 0 ? [devicesOf(others, pass)] : []),
        ...(ofProfiles.length > 0 ? [devicesOf(ofProfiles, pass, 'profile_device')] : []),
      ].join(' union all ');
      const known = runs.length > 0 ? `${devicesOf(runs, pass)} and device in (${incoming})` : null;
      return `
        insert into run_device (run_id, device)
        select ${runIdExpression(batch, '0')}, device from (${incoming})
        ${known ? `where device not in (${known})` : ''} group by device`;
    });
  }
  const drop = dropped.length > 0 && runs.length > 0 ? await removeOrphans() : [];
  const counts = await devicesByRun(cluster, batch, signal);
  const add = [...counts].map(([id, devices]) => stagedRun(BigInt(id), segmentId, devices));
  return { add, drop };

  /** Removes devices that no attribute has any more. Only devices of dropped runs can be among them. */
  async function removeOrphans(): Promise<Run[]> {
    const candidates = devicesIn(dropped);
    await executeAll(candidates, (pass) => {
      const candidate = devicesOf(dropped, pass);
      const kept = keptDevices(pending, pass, candidate);
      return `
        insert into loaded_row (batch, removes, list, device)
        select toUInt64(${batch}), toUInt8(1), toUInt32(0), device from (${candidate})
        ${kept === '' ? '' : `where device not in (${kept})`} group by device`;
    });
    const orphans = (pass: string) =>
      `select device from loaded_row where batch = ${batch} and ${pass}`;
    const losing = new Set<string>();
    for (const pass of await passesOver(candidates, engine)) {
      const lost = await cluster.sums(
        `select run_id, count() from run_device
        where ${within(runs)} and ${pass} and device in (${orphans(pass)}) group by run_id`,
        options,
      );
      for (const id of lost.keys()) losing.add(id);
    }
    const shrinking = runs.filter((run) => losing.has(String(runIdOf(run))));
    if (shrinking.length === 0) return [];
    const numbers = shrinking.map((_, i) => i + 1);
    await executeAll(
      candidates,
      (pass) => `
        insert into run_device (run_id, device)
        select ${runIdExpression(batch, runNumberExpression(shrinking, numbers))}, device from run_device
        where ${within(shrinking)} and ${pass} and device not in (${orphans(pass)})`,
    );
    return shrinking;
  }
}

function devicesOf(
  runs: readonly RunPlace[],
  pass: string,
  table: DeviceTable = 'run_device',
): string {
  return `select device from ${table} where ${within(runs)} and ${pass}`;
}

/** A query for those of the candidates that a run of an attribute holds. Empty if there is none. */
function keptDevices(
  { attributeRuns, profiles }: PendingFold,
  pass: string,
  candidate: string,
): string {
  const bare =
    attributeRuns.length === 0
      ? []
      : [`${devicesOf(attributeRuns, pass)} and device in (${candidate})`];
  const profiled = profiles
    .filter(({ alive }) => alive.length > 0)
    .map(
      ({ run, alive }) => `
        select device from (
          select device, arrayJoin(numbers) as number from profile_device
          where ${within([run])} and ${pass} and device in (${candidate})
        ) where number in (${alive.join(', ')})`,
    );
  return [...bare, ...profiled].join(' union all ');
}
