import { TributaryError } from '../../../domain/errors.ts';
import type { LoadMeaning } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { passesOver } from '../rows/passes.ts';
import { allLists, noList } from '../rows/row-block.ts';
import type { Staging } from './staging.ts';

/** What there is to know of loaded rows before they are looked at one by one. */
export interface SeenRows {
  readonly uniqueDevices: number;
  /** Whether a row removes its device from something. */
  readonly removals: boolean;
  /** The numbers of segments whose content the rows may change. */
  changedNumbers(meaning: LoadMeaning): number[];
}

export async function lookAtRows(
  engine: Engine,
  { batch, rows, meaning, signal }: Staging,
): Promise<SeenRows> {
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
  const seen = found.flat().map((row) => row.map(Number) as [number, number, number]);
  const inPlace = seen.reduce((sum, [, , count]) => sum + count, 0);
  // Servers take up a new list of shards as they run; and rows of loads are not synced to the disk.
  if (inPlace < rows) {
    throw new TributaryError(
      'unavailable',
      `The warehouse has only ${inPlace} of ${rows} rows where they belong: was a shard lost, or the list of the cluster's shards changed?`,
    );
  }
  const numbers = new Set(seen.map(([, list]) => list));
  const isFromAll = numbers.delete(allLists);
  numbers.delete(noList);
  const highest = [...numbers].reduce((high, number) => Math.max(high, number), -1);
  if (highest >= meaning.segmentIds.length) {
    throw new RangeError(`rows name segment ${highest} of ${meaning.segmentIds.length}`);
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
    removals: seen.some(([removes]) => removes === 1),
    changedNumbers: ({ segmentIds }) =>
      isFromAll ? [...segmentIds.keys()] : [...numbers].sort((a, b) => a - b),
  };
}
