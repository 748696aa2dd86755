import { createBench } from '../contract/warehouse-bench.ts';
import type { ClickhouseCluster } from './clickhouse-cluster.ts';
import { openClickhouseWorld } from './clickhouse-world.ts';
import { deviceNumber } from './devices.ts';
import type { Row } from './row-batches.ts';

/** A world of its own for a test that keeps it tidy by itself, and two segments in it. */
export async function openClickhouseBench(cluster: ClickhouseCluster) {
  const world = await openClickhouseWorld(cluster);
  const nothing = async () => {};
  const bench = createBench({
    ...world,
    maintenance: { compact: nothing, sweep: nothing },
    readRuns: async () => [],
  });
  const one = await world.records.segments.create('attribute');
  const two = await world.records.segments.create('attribute');
  return { world, bench, one, two };
}

/** A row for each of the devices, which names these segments of the load. */
export function rowsOf(from: number, to: number, numbers: readonly number[] = [0]): Row[] {
  return Array.from({ length: to - from }, (_, i) => ({ device: deviceNumber(from + i), numbers }));
}
