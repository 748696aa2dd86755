import type { Engine } from '../cluster/engine.ts';

/**
 * Conditions that split a set of devices into passes, so that each pass fits into a shard's memory.
 * A shard keeps only its own devices of a set, so more shards need fewer passes. The hash differs
 * from the one that selects shards; with the same hash the passes would be uneven.
 */
export async function passesOver(
  devices: number,
  { cluster, devicesPerShard }: Pick<Engine, 'cluster' | 'devicesPerShard'>,
): Promise<string[]> {
  const { length: shards } = await cluster.shards();
  const passes = Math.max(1, Math.ceil(devices / (devicesPerShard * shards)));
  if (passes === 1) return ['1'];
  return Array.from({ length: passes }, (_, pass) => `cityHash64(device) % ${passes} = ${pass}`);
}
