import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { StagedLoad } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { beginBatch, devicesByRun } from '../rows/batches.ts';
import { passesOver } from '../rows/passes.ts';
import { placeOf, runIdOf, runsPerBatch } from '../rows/run-ids.ts';
import { stagedRun } from '../rows/sql.ts';
import { whileThere } from '../rows/still-there.ts';
import { lookAtRows, type SeenRows } from './seen-rows.ts';
import { additionsFrom, lossesFrom, remaindersFrom } from './stage-sql.ts';
import { listOfEveryRow, type NumberedRun, type Staging } from './staging.ts';

/**
 * From loaded rows to runs, shard by shard: a device's rows and all runs that hold it are on the
 * same shard, so each works by itself and only counts come back.
 */
export async function stageRows(engine: Engine, staging: Staging): Promise<StagedLoad> {
  const { cluster, records } = engine;
  const { meaning, owner } = staging;
  const seen = await lookAtRows(engine, staging);
  const changed = seen.changedNumbers(meaning);
  const lists = new Map(changed.map((number) => [meaning.segmentIds[number]!, number]));
  if (meaning.everyRow !== null) lists.set(meaning.everyRow, listOfEveryRow(meaning));

  let batch = staging.batch;
  let isFirst = true;
  const change = await whileThere(
    engine,
    () => records.manifest.runsOf([...lists.keys()]),
    async (runs) => {
      // What a try before this one has written must not be counted in.
      if (!isFirst) batch = await beginBatch({ cluster, runFiles: records.runFiles }, owner);
      isFirst = false;
      const held = runs.map((run) => ({ run, list: lists.get(run.segmentId)! }));
      return await stageInto(engine, staging, seen, held, batch);
    },
  );
  return { uniqueDevices: seen.uniqueDevices, change };
}

async function stageInto(
  engine: Engine,
  staging: Staging,
  seen: SeenRows,
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

  const shortened = isReplacing || !seen.removals ? [] : await findShortened();
  if (listOfEveryRow(meaning) + 1 + shortened.length > runsPerBatch) {
    throw new RangeError(`a load may change ${runsPerBatch} runs at most`);
  }
  await insertAll((pass) => additionsFrom(staging, isReplacing ? [] : held, { batch, pass }));
  if (shortened.length > 0) {
    await insertAll((pass) => remaindersFrom(staging, shortened, { batch, pass }));
  }
  const drop = (isReplacing ? held : shortened).map(({ run }) => run);
  return { add: await findRuns(), drop };

  /** The runs that hold devices which leave their segments. */
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

  /** What the shards hold of the batch now, by run. */
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
