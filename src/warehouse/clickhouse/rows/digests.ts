import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { Engine } from '../cluster/engine.ts';
import { devicesIn, within } from './sql.ts';

/** The first 128 bits of the SHA-256 of a device's 32 digits. */
const digestOfDevice = 'toFixedString(substring(SHA256(lower(hex(device))), 1, 16), 16)';

/**
 * Conditions that together select the devices whose digests are in the runs. A digest is not on the shard
 * of its device, so every shard reads the digests of all shards, as many at a time as fit into its memory.
 */
export function matchesDigest(
  { cluster, devicesPerShard }: Pick<Engine, 'cluster' | 'devicesPerShard'>,
  runs: readonly StagedRun[],
): string[] {
  const passes = Math.max(1, Math.ceil(devicesIn(runs) / devicesPerShard));
  return Array.from({ length: passes }, (_, pass) => {
    const isOfPass = passes === 1 ? '1' : `cityHash64(device) % ${passes} = ${pass}`;
    return `${digestOfDevice} in (
      select device from ${cluster.allDevices} where ${within(runs)} and ${isOfPass}
    )`;
  });
}
