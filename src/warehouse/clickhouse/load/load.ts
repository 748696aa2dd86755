import type { RowBatch } from '../../../domain/row-batch.ts';
import { type Load, type LoadAttempt, LoadTooLarge } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { beginBatch, dropLoadedRows } from '../rows/batches.ts';
import { createRowBlock } from '../rows/row-block.ts';
import { stageRows } from './stage.ts';

const insertTimeoutMs = 120_000;
/** A small load has one block, of 0.6 MB. */
const rowsPerSmallBlock = 20_000;

/**
 * Sends rows to the shards block by block; while one block is sent, the next is filled.
 * Sending a row twice is harmless because the rows of a load are a set.
 */
export function beginLoad(engine: Engine, owner: LoadAttempt, rowsPerBlock?: number): Load {
  const { cluster, records } = engine;
  const deps = { cluster, runFiles: records.runFiles };
  const disposed = new AbortController();
  let batch: Promise<number> | undefined;
  const blockRows = owner.mustBeSmall ? rowsPerSmallBlock : rowsPerBlock;
  let filling = createRowBlock(blockRows);
  let spare = createRowBlock(blockRows);
  let rows = 0;
  // Row batches are processed one at a time, in order.
  let taken: Promise<void> = Promise.resolve();
  let sent: Promise<void> = Promise.resolve();

  async function send(block: typeof filling, number: number): Promise<void> {
    const shards = await cluster.shards();
    // Any shard forwards rows to the others. Loads use different entry shards to share that work.
    const entry = shards[number % shards.length]!;
    await entry.insert(
      `insert into ${cluster.loadedTable} (batch, removes, list, device) format Native`,
      block.chunks(number),
      {
        signal: disposed.signal,
        timeoutMs: insertTimeoutMs,
        // Wait until every shard has its rows, and do not drop a block that equals an earlier one.
        settings: { insert_distributed_sync: 1, insert_deduplicate: 0 },
      },
    );
    block.empty();
  }

  async function sendFilled(): Promise<void> {
    await sent;
    batch ??= beginBatch(deps, owner);
    rows += filling.rows;
    sent = send(filling, await batch);
    // The next caller that awaits `sent` gets the error.
    sent.catch(() => {});
    [filling, spare] = [spare, filling];
  }

  async function take(some: RowBatch): Promise<void> {
    try {
      for (let at = filling.add(some, 0); at < some.words.length; ) {
        if (owner.mustBeSmall) throw new LoadTooLarge('the rows do not fit into one block');
        await sendFilled();
        at = filling.add(some, at);
      }
    } finally {
      some.release();
    }
  }

  return {
    add(some) {
      taken = taken.then(
        () => take(some),
        (error) => {
          some.release();
          throw error;
        },
      );
      taken.catch(() => {});
      return taken;
    },
    async stage(meaning, signal) {
      signal.throwIfAborted();
      await taken;
      if (filling.rows > 0) await sendFilled();
      await sent;
      if (batch === undefined) {
        return { uniqueDevices: 0, suppressedDevices: 0, change: { add: [], drop: [] } };
      }
      const staging = { owner, batch: await batch, rows, meaning, signal, leftOut: 0 };
      return await stageRows(engine, staging);
    },
    async [Symbol.asyncDispose]() {
      disposed.abort(new Error('the load was cancelled'));
      await Promise.allSettled([taken, sent]);
      const begun = await batch?.catch(() => undefined);
      if (begun !== undefined) await dropLoadedRows(cluster, begun);
    },
  };
}
