import type { Engine } from '../cluster/engine.ts';

/**
 * Conditions that part all devices, so that sets of so many are looked at within a bounded memory. A
 * shard holds of a set what it has itself, so with more shards a pass looks at more. By another hash
 * than that by which shards are chosen, or parts would be uneven.
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
