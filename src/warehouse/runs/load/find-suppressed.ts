import type { Manifest } from '../../../records/warehouse/manifest.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import type { Warehouse } from '../../port.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import type { DigestTables } from '../digests/digest-tables.ts';
import { type RunOpener, retryIfRemoved } from '../file/run-opener.ts';
import { openSuppression } from './open-suppression.ts';
import type { LoadTasks } from './tasks/load-tasks.ts';

export interface FindDependencies {
  readonly manifest: Pick<Manifest, 'runsOf'>;
  readonly opener: RunOpener;
  readonly digestTables: DigestTables;
  readonly pool: ThreadPool<LoadTasks>;
}

export function createFindSuppressed(deps: FindDependencies): Warehouse['findSuppressed'] {
  const { manifest, opener, digestTables, pool } = deps;
  const source = { opener, digestTables, runsOf: manifest.runsOf };
  return (devices, suppressed, signal) =>
    retryIfRemoved(async () => {
      signal.throwIfAborted();
      await using held = new AsyncDisposableStack();
      const suppression = await openSuppression(source, suppressed, held);
      if (!suppression) return new Uint32Array(0);
      return await pool.run('findSuppressed', { devices: ascending(devices), suppression });
    });
}

/** The distinct devices. There are few. */
function ascending(devices: Uint32Array): Uint32Array {
  const places = Array.from(
    { length: devices.length / wordsPerDevice },
    (_, i) => i * wordsPerDevice,
  );
  places.sort((a, b) => compareDevices(devices, a, devices, b));
  const distinct = places.filter(
    (at, i) => i === 0 || compareDevices(devices, places[i - 1]!, devices, at) !== 0,
  );
  return Uint32Array.from(distinct.flatMap((at) => [...devices.subarray(at, at + wordsPerDevice)]));
}
