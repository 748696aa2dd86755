import { createHash } from 'node:crypto';
import { digestBytes, hexOfWords } from '../../domain/privacy/standard-id.ts';
import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { withCurrentRuns } from './rows/current-runs.ts';
import { deviceList, packDevices } from './rows/device-text.ts';
import { within } from './rows/sql.ts';

/**
 * Looks up few devices by their digests, which the digests of all suppressed devices include. The digests
 * are part of the query, and servers log queries: a device must not be in one.
 */
export function createFindSuppressed(engine: Engine): Warehouse['findSuppressed'] {
  const { cluster, records } = engine;
  return async (words, { digests }, signal) => {
    signal.throwIfAborted();
    const digestOf = new Map(hexesOf(words).map((device) => [device, digest(device)]));
    if (digestOf.size === 0) return packDevices([]);
    const found = await withCurrentRuns(
      engine,
      () => records.manifest.runsOf([digests]),
      async (runs) => {
        if (runs.length === 0) return [];
        const sql = `select lower(hex(device)) from run_device
          where ${within(runs)} and device in (${deviceList([...digestOf.values()])}) group by device`;
        return await cluster.onEach((shard) =>
          shard.select(sql, { signal, timeoutMs: longTimeoutMs }),
        );
      },
    );
    const matched = new Set(found.flat(2));
    return packDevices([...digestOf.keys()].filter((device) => matched.has(digestOf.get(device)!)));
  };
}

/** The distinct devices, ascending. */
function hexesOf(words: Uint32Array): string[] {
  const devices = Array.from({ length: words.length / wordsPerDevice }, (_, i) =>
    hexOfWords(words, i * wordsPerDevice),
  );
  return [...new Set(devices)].sort();
}

function digest(device: string): string {
  return createHash('sha256')
    .update(device)
    .digest('hex')
    .slice(0, digestBytes * 2);
}
