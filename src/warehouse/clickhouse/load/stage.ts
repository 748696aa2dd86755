import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { StagedLoad } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { beginBatch, devicesByRun } from '../rows/batches.ts';
import { withCurrentRuns } from '../rows/current-runs.ts';
import { passesOver } from '../rows/passes.ts';
import { placeOf, runIdOf, runsPerBatch } from '../rows/run-ids.ts';
import { stagedRun } from '../rows/sql.ts';
import { inspectRows, type LoadedRows } from './inspect-rows.ts';
import { leaveOut } from './leave-out.ts';
import { additionsFrom, lossesFrom, remaindersFrom } from './stage-sql.ts';
import { listOfEveryRow, type NumberedRun, type StagingInput } from './staging-input.ts';

/**
 * Turns loaded rows into runs. A device's rows and all runs that contain it are on the same shard,
 * so each shard works alone and returns only counts.
 */
export async function stageRows(engine: Engine, input: StagingInput): Promise<StagedLoad> {
  const { cluster, records } = engine;
  const { meaning, owner } = input;
  const loaded = await inspectRows(engine, input);
  const leftOut = meaning.suppressed ? await leaveOut(engine, input, meaning.suppressed) : 0;
  const staging = { ...input, leftOut };
  const changed = loaded.changedSegments(meaning);
  const lists = new Map(changed.map((number) => [meaning.segmentIds[number]!, number]));
  if (meaning.everyRow !== null) lists.set(meaning.everyRow, listOfEveryRow(meaning));

  let batch = staging.batch;
  let isFirst = true;
  const change = await withCurrentRuns(
    engine,
    () => records.manifest.runsOf([...lists.keys()]),
    async (runs) => {
      // A new batch, because rows of an earlier try must not be counted.
      if (!isFirst) batch = await beginBatch({ cluster, runFiles: records.runFiles }, owner);
      isFirst = false;
      const held = runs.map((run) => ({ run, list: lists.get(run.segmentId)! }));
      return await stageInto(engine, staging, loaded, held, batch);
    },
  );
  return { uniqueDevices: loaded.uniqueDevices - leftOut, suppressedDevices: leftOut, change };
}

async function stageInto(
  engine: Engine,
  staging: StagingInput,
  loaded: LoadedRows,
  held: readonly NumberedRun[],
  batch: number,
): Promise<StagedLoad['change']> {
  const { meaning, rows, signal } = staging;
  const isReplacing = meaning.mode === 'replace';
  const passes = await passesOver(rows, engine);
  const options = { signal, timeoutMs: longTimeoutMs };

  async function insertAll(sql: (pass: string) => string): Promise<void> {
    for (const pass of passes) {
      await engine.cluster.onEach((shard) => shard.execute(sql(pass), options));
    }
  }

  const shortened = isReplacing || !loaded.hasRemovals ? [] : await findShortened();
  if (listOfEveryRow(meaning) + 1 + shortened.length > runsPerBatch) {
    throw new RangeError(`a load can change at most ${runsPerBatch} runs`);
  }
  await insertAll((pass) => additionsFrom(staging, isReplacing ? [] : held, { batch, pass }));
  if (shortened.length > 0) {
    await insertAll((pass) => remaindersFrom(staging, shortened, { batch, pass }));
  }
  const drop = (isReplacing ? held : shortened).map(({ run }) => run);
  return { add: await findRuns(), drop };

  /** Finds the runs that lose devices. */
  async function findShortened(): Promise<NumberedRun[]> {
    const named = held.filter(({ list }) => list !== listOfEveryRow(meaning));
    if (named.length === 0) return [];
    const losing = new Set<string>();
    for (const pass of passes) {
      const counts = await engine.cluster.sums(lossesFrom(staging, named, pass), options);
      for (const id of counts.keys()) losing.add(id);
    }
    return named.filter(({ run }) => losing.has(String(runIdOf(run))));
  }

  /** Lists the runs that the shards now have in the batch. */
  async function findRuns(): Promise<StagedRun[]> {
    const counts = await devicesByRun(engine.cluster, batch, signal);
    const segmentOf = [
      ...meaning.segmentIds,
      meaning.everyRow,
      ...shortened.map(({ run }) => run.segmentId),
    ];
    return [...counts].map(([id, devices]) => {
      const { firstRowGroup } = placeOf(BigInt(id));
      return stagedRun(BigInt(id), segmentOf[firstRowGroup]!, devices);
    });
  }
}
