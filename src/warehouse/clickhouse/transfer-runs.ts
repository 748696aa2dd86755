import type { Run } from '../../records/warehouse/manifest.ts';
import { groupBySize } from '../group-by-size.ts';
import { RunsMissing, type RunTransfer } from '../port.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { createRunSender } from './load/send-runs.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { refuseBehind } from './rows/current-runs.ts';
import { answersFor, devicesPerAnswer } from './rows/device-answers.ts';
import { packDevices } from './rows/device-text.ts';
import { runId, runIdOf } from './rows/run-ids.ts';
import { stagedRun, within, withinBatch } from './rows/sql.ts';

const runsPerCount = 10_000;

/** `engine` chooses a server of each shard, anew for each call. */
export function createRunTransfer(engine: () => Engine): RunTransfer {
  /** The devices of the runs that meet the condition, as 32 digits, sorted, by run. */
  async function select(
    { cluster }: Engine,
    runs: readonly Run[],
    condition: string,
    signal: AbortSignal,
  ): Promise<Map<string, string[]>> {
    const sql = `select run_id, lower(hex(device)) from run_device where ${within(runs)} and ${condition}`;
    const found = await cluster.onEach((shard) =>
      shard.select(sql, { signal, timeoutMs: longTimeoutMs }),
    );
    const byRun = new Map<string, string[]>();
    for (const [id = '', device = ''] of found.flat()) {
      const devices = byRun.get(id);
      if (devices) devices.push(device);
      else byRun.set(id, [device]);
    }
    for (const devices of byRun.values()) devices.sort();
    return byRun;
  }

  async function* readLarge(
    on: Engine,
    run: Run,
    signal: AbortSignal,
  ): AsyncGenerator<Uint32Array> {
    let devices = 0;
    for (const condition of answersFor(run.devices)) {
      const found = (await select(on, [run], condition, signal)).get(String(runIdOf(run))) ?? [];
      devices += found.length;
      if (found.length > 0) yield packDevices(found);
    }
    checkCount(run, devices);
  }

  return {
    async *readRuns(runs, signal) {
      const on = engine();
      await refuseBehind(on.cluster, runs);
      // Small runs share an answer.
      for (const some of groupBySize(runs, (run) => run.devices, devicesPerAnswer)) {
        const [first] = some;
        if (some.length === 1 && first) {
          yield { segmentId: first.segmentId, devices: readLarge(on, first, signal) };
          continue;
        }
        const byRun = await select(on, some, '1', signal);
        for (const run of some) {
          const found = byRun.get(String(runIdOf(run))) ?? [];
          checkCount(run, found.length);
          yield { segmentId: run.segmentId, devices: only(packDevices(found)) };
        }
      }
    },

    /** All in one batch. */
    async writeRuns(contents, signal) {
      const { cluster, records } = engine();
      let begun: number | undefined;
      const deps = { cluster, runFiles: records.runFiles };
      const written = withMaintenanceBatch(deps, async (batch) => {
        begun = batch;
        const segmentIds: number[] = [];
        const sender = createRunSender(cluster, batch, signal);
        for await (const { segmentId, devices } of contents) {
          const number = segmentIds.push(segmentId) - 1;
          for await (const words of devices) await sender.add(number, words);
        }
        await sender.end();
        const counts = await devicesByRun(cluster, batch, signal);
        return segmentIds.map((segmentId, n) => {
          const id = runId(batch, n);
          return stagedRun(id, segmentId, counts.get(String(id)) ?? 0);
        });
      });
      return await written.catch(async (error) => {
        // Nothing is swept in a place that is not used yet, and the copy tries again and again.
        if (begun !== undefined) await deleteRows(cluster, begun);
        throw error;
      });
    },

    async haveRuns(runs, signal) {
      const { cluster } = engine();
      const counts = new Map<string, number>();
      for (let at = 0; at < runs.length; at += runsPerCount) {
        const some = runs.slice(at, at + runsPerCount);
        await refuseBehind(cluster, some);
        const found = await cluster.sums(
          `select run_id, count() from run_device where ${within(some)} group by run_id`,
          { signal, timeoutMs: longTimeoutMs },
        );
        for (const [id, devices] of found) counts.set(id, devices);
      }
      return runs.map((run) => counts.get(String(runIdOf(run))) === run.devices);
    },
  };
}

/** If this fails, the rows are swept after the switch, or erased when the copy is aborted. */
async function deleteRows(cluster: Cluster, batch: number): Promise<void> {
  const sql = `alter table run_device delete where ${withinBatch(batch)}`;
  await cluster.onEach((shard) => shard.execute(sql)).catch(() => {});
}

async function* only(devices: Uint32Array): AsyncGenerator<Uint32Array> {
  yield devices;
}

function checkCount(run: Run, found: number): void {
  if (found === run.devices) return;
  throw new RunsMissing(
    `run ${run.runId} of segment ${run.segmentId} should contain ${run.devices} devices but contains ${found}`,
  );
}
