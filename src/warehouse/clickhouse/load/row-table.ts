import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { type Column, encodeBlock } from '../rows/native-block.ts';
import { runId } from '../rows/run-ids.ts';
import type { ShardDevices } from './tasks/shard-tasks.ts';

/** The columns of the rows of a list, besides the device. */
export interface ListRows {
  /** The number of the list, or `noList` or `allLists`. */
  readonly number: number;
  readonly removes: boolean;
}

/** A table that gets rows of a batch. Rows in its sort order need no sorting on the server. */
export interface RowTable {
  readonly insert: string;
  /** The rows of several lists as a block. */
  encode(batch: number, lists: readonly ListRows[], of: ShardDevices): Uint8Array[];
}

/** The devices of new runs, each with the number of its list. */
export const runRows: RowTable = {
  insert: 'insert into run_device (run_id, device) format Native',
  encode(batch, lists, { devices, counts }) {
    const rows = devices.length / wordsPerDevice;
    const ids = new BigUint64Array(rows);
    fillEach(counts, (from, to, i) => ids.fill(runId(batch, lists[i]!.number), from, to));
    return encodeBlock(rows, [
      { name: 'run_id', type: 'UInt64', values: ids },
      deviceColumn(devices),
    ]);
  },
};

/** Rows that the server compares with its runs. */
export const loadedRows: RowTable = {
  insert: 'insert into loaded_row (batch, removes, list, device) format Native',
  encode(batch, lists, { devices, counts }) {
    const rows = devices.length / wordsPerDevice;
    const batches = new BigUint64Array(rows).fill(BigInt(batch));
    const removes = new Uint8Array(rows);
    const numbers = new Uint32Array(rows);
    fillEach(counts, (from, to, i) => {
      removes.fill(lists[i]!.removes ? 1 : 0, from, to);
      numbers.fill(lists[i]!.number, from, to);
    });
    return encodeBlock(rows, [
      { name: 'batch', type: 'UInt64', values: batches },
      { name: 'removes', type: 'UInt8', values: removes },
      { name: 'list', type: 'UInt32', values: numbers },
      deviceColumn(devices),
    ]);
  },
};

function deviceColumn(values: Uint32Array): Column {
  return { name: 'device', type: 'FixedString(16)', values };
}

function fillEach(
  counts: readonly number[],
  fill: (from: number, to: number, list: number) => void,
): void {
  let from = 0;
  for (const [list, count] of counts.entries()) {
    fill(from, from + count, list);
    from += count;
  }
}
