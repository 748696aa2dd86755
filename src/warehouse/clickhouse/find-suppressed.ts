import { createHash } from 'node:crypto';
import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { withCurrentRuns } from './rows/current-runs.ts';
import { deviceList, packDevices } from './rows/device-text.ts';
import { within } from './rows/sql.ts';

/** Looks up few devices, which are part of the query. */
export function createFindSuppressed(engine: Engine): Warehouse['findSuppressed'] {
  const { cluster, records } = engine;

  async function held(
    devices: readonly string[],
    runs: readonly Run[],
    signal: AbortSignal,
  ): Promise<Set<string>> {
    if (runs.length === 0 || devices.length === 0) return new Set();
    const sql = `select lower(hex(device)) from run_device
      where ${within(runs)} and device in (${deviceList(devices)}) group by device`;
    const found = await cluster.onEach((shard) =>
      shard.select(sql, { signal, timeoutMs: longTimeoutMs }),
    );
    return new Set(found.flat(2));
  }

  return async (words, { plain, digests }, signal) => {
    signal.throwIfAborted();
    const devices = [...new Set(hexOf(words))].sort();
    const digestOf = new Map(devices.map((device) => [device, digest(device)]));
    return await withCurrentRuns(
      engine,
      () => records.manifest.runsOf([plain, digests]),
      async (runs) => {
        const of = (segmentId: number) => runs.filter((run) => run.segmentId === segmentId);
        const listed = await held(devices, of(plain), signal);
        const matched = await held([...digestOf.values()], of(digests), signal);
        return packDevices(
          devices.filter((device) => listed.has(device) || matched.has(digestOf.get(device)!)),
        );
      },
    );
  };
}

function hexOf(words: Uint32Array): string[] {
  return Array.from({ length: words.length / wordsPerDevice }, (_, i) =>
    Array.from(words.subarray(i * wordsPerDevice, (i + 1) * wordsPerDevice), (word) =>
      word.toString(16).padStart(8, '0'),
    ).join(''),
  );
}

function digest(device: string): string {
  return createHash('sha256').update(device).digest('hex').slice(0, 32);
}
