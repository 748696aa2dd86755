import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { withMaintenanceBatch } from './batches.ts';
import { devicesIn, within } from './sql.ts';

/** The first 128 bits of the SHA-256 of a device's 32 digits. */
const digestOfDevice = 'toFixedString(substring(SHA256(lower(hex(device))), 1, 16), 16)';
/** Digests that pass through this process at a time, in 29 bytes each. */
const digestsPerCopy = 500_000;

/**
 * Runs work with conditions that together select the devices whose digests are in the runs, one for as many
 * digests as fit into a shard's memory. A digest is not on the shard of its device, so every shard gets a copy
 * of the digests of all shards.
 */
export async function forEachDigests(
  engine: Pick<Engine, 'cluster' | 'records' | 'devicesPerShard'>,
  runs: readonly StagedRun[],
  signal: AbortSignal,
  work: (matches: string) => Promise<void>,
): Promise<void> {
  const { cluster, records, devicesPerShard } = engine;
  const parts = partsOf(devicesIn(runs), devicesPerShard);
  const { length: shards } = await cluster.shards();
  if (shards === 1) {
    for (const part of parts) {
      await work(
        `${digestOfDevice} in (select device from run_device where ${within(runs)} and ${part})`,
      );
    }
    return;
  }
  await withMaintenanceBatch({ cluster, runFiles: records.runFiles }, async (batch) => {
    for (const [number, part] of parts.entries()) {
      await copyDigests(engine, runs, part, { batch, number }, signal);
      await work(
        `${digestOfDevice} in (select device from loaded_row where batch = ${batch} and list = ${number})`,
      );
    }
  });
}

/** Copies a part of the digests to every shard, as a list of loaded rows. */
async function copyDigests(
  { cluster }: Pick<Engine, 'cluster'>,
  runs: readonly StagedRun[],
  part: string,
  { batch, number }: { batch: number; number: number },
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, timeoutMs: longTimeoutMs };
  for (const source of await cluster.shards()) {
    for (const some of partsOf(devicesIn(runs), digestsPerCopy)) {
      const digests: Uint8Array[] = [];
      await source.read(
        `select toUInt64(${batch}) as batch, toUInt8(0) as removes, toUInt32(${number}) as list, device
        from run_device where ${within(runs)} and ${part} and ${some} format Native`,
        async (bytes) => {
          digests.push(bytes);
        },
        options,
      );
      if (digests.length === 0) continue;
      await cluster.onEach((shard) =>
        shard.insert(
          'insert into loaded_row (batch, removes, list, device) format Native',
          digests,
          options,
        ),
      );
    }
  }
}

/** Conditions that split devices into parts of about this size. */
function partsOf(devices: number, size: number): string[] {
  const parts = Math.max(1, Math.ceil(devices / size));
  if (parts === 1) return ['1'];
  return Array.from({ length: parts }, (_, part) => `cityHash64(device) % ${parts} = ${part}`);
}
