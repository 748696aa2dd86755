import { wordsPerDevice } from '../../../domain/row-batch.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { runRows } from './row-table.ts';
import { createDivider } from './tasks/shard-tasks.ts';

/** Sends the devices of runs to the shards that they belong to. */
interface RunSender {
  /** Adds devices to the run with that number in the batch. */
  add(run: number, devices: Uint32Array): Promise<void>;
  /** Sends the devices that were added and not sent yet. */
  end(): Promise<void>;
}

/** 8 MB. */
const devicesAtOnce = 524_288;
const insertTimeoutMs = 120_000;

export function createRunSender(cluster: Cluster, batch: number, signal: AbortSignal): RunSender {
  const divide = createDivider();
  const gathered = new Uint32Array(devicesAtOnce * wordsPerDevice);
  let runs: { number: number; words: number }[] = [];
  let end = 0;

  async function send(): Promise<void> {
    const { length: shards } = await cluster.shards();
    const words = runs.map((run) => run.words);
    const divided = divide(gathered.subarray(0, end), words, shards);
    const lists = runs.map(({ number }) => ({ number, removes: false }));
    await cluster.onEach(async (shard, position) => {
      const own = divided[position]!;
      if (own.devices.length === 0) return;
      const options = { signal, timeoutMs: insertTimeoutMs };
      await shard.insert(runRows.insert, runRows.encode(batch, lists, own), options);
    });
    runs = [];
    end = 0;
  }

  return {
    async add(number, devices) {
      for (let at = 0; at < devices.length; ) {
        const some = devices.subarray(at, at + gathered.length - end);
        gathered.set(some, end);
        runs.push({ number, words: some.length });
        end += some.length;
        at += some.length;
        if (end === gathered.length) await send();
      }
    },
    async end() {
      if (end > 0) await send();
    },
  };
}
