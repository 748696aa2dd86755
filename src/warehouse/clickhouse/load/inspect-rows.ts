import { TributaryError } from '../../../domain/errors.ts';
import type { LoadMeaning } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { passesOver } from '../rows/passes.ts';
import { allLists, noList } from '../rows/row-block.ts';
import type { StagingInput } from './staging-input.ts';

/** A summary of the loaded rows. */
export interface LoadedRows {
  readonly uniqueDevices: number;
  /** Whether any row removes its device from a segment. */
  readonly hasRemovals: boolean;
  /** The numbers of the segments that the rows may change. */
  changedSegments(meaning: LoadMeaning): number[];
}

export async function inspectRows(
  engine: Engine,
  { batch, rows, meaning, signal }: StagingInput,
): Promise<LoadedRows> {
  const { cluster } = engine;
  const options = { signal, timeoutMs: longTimeoutMs };
  const { length } = await cluster.shards();
  const found = await cluster.onEach((shard, position) =>
    shard.select(
      `select removes, list, count() from loaded_row
      where batch = ${batch} and sipHash64(device) % ${length} = ${position} group by removes, list`,
      options,
    ),
  );
  const groups = found.flat().map((row) => row.map(Number) as [number, number, number]);
  const inPlace = groups.reduce((sum, [, , count]) => sum + count, 0);
  // Servers reload their list of shards while they run, and loaded rows are not synced to disk.
  if (inPlace < rows) {
    throw new TributaryError(
      'unavailable',
      `Only ${inPlace} of ${rows} loaded rows are on the shards they belong to. Check whether a shard was lost or the cluster's list of shards changed.`,
    );
  }
  const numbers = new Set(groups.map(([, list]) => list));
  const isFromAll = numbers.delete(allLists);
  numbers.delete(noList);
  const highest = [...numbers].reduce((high, number) => Math.max(high, number), -1);
  if (highest >= meaning.segmentIds.length) {
    throw new RangeError(
      `a row names segment number ${highest}, but the load has only ${meaning.segmentIds.length}`,
    );
  }

  let uniqueDevices = 0;
  for (const pass of await passesOver(rows, engine)) {
    const counts = await cluster.sums(
      `select 'devices', count() from (select device from loaded_row where batch = ${batch} and ${pass} group by device)`,
      options,
    );
    uniqueDevices += counts.get('devices') ?? 0;
  }
  return {
    uniqueDevices,
    hasRemovals: groups.some(([removes]) => removes === 1),
    changedSegments: ({ segmentIds }) =>
      isFromAll ? [...segmentIds.keys()] : [...numbers].sort((a, b) => a - b),
  };
}
