import { test } from 'vitest';
import { createBench } from '../contract/warehouse-bench.ts';
import { type ClusterKind, startClickhouseCluster } from './clickhouse-cluster.ts';
import { openClickhouseWorld } from './clickhouse-world.ts';
import { deviceNumber } from './devices.ts';
import type { Row } from './row-batches.ts';

const noop = async () => {};

/**
 * A test with its own database on a cluster that its file starts, and two segments. Maintenance runs
 * only when the test calls it.
 */
export const clickhouseTest = testOn('shards');
/** The same on shards of two replicas. */
export const replicasTest = testOn('replicas');

function testOn(kind: ClusterKind) {
  return (
    test
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads a fixture's dependencies from the pattern.
      .extend('cluster', { scope: 'file' }, async ({}, { onCleanup }) => {
        const cluster = await startClickhouseCluster(kind);
        onCleanup(() => cluster[Symbol.asyncDispose]());
        return cluster;
      })
      .extend('world', async ({ cluster }, { onCleanup }) => {
        const world = await openClickhouseWorld(cluster);
        onCleanup(() => world[Symbol.asyncDispose]());
        return world;
      })
      .extend('bench', ({ world }) =>
        createBench({
          ...world,
          maintenance: { compact: noop, sweep: noop },
          readRuns: async () => [],
        }),
      )
      .extend('one', ({ world }) => world.records.segments.create('attribute'))
      .extend('two', ({ world }) => world.records.segments.create('attribute'))
  );
}

/** One row per device, each naming these segment numbers of the load. */
export function rowsOf(from: number, to: number, numbers: readonly number[] = [0]): Row[] {
  return Array.from({ length: to - from }, (_, i) => ({ device: deviceNumber(from + i), numbers }));
}
