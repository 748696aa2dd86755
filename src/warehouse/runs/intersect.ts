import type { Manifest } from '../../records/warehouse/manifest.ts';
import type { Warehouse } from '../port.ts';
import { runsOf } from './read-devices.ts';
import type { Sets } from './sets/sets.ts';

export interface IntersectDependencies {
  readonly manifest: Pick<Manifest, 'readableRunsOf'>;
  readonly overlap: Warehouse['overlap'];
  readonly sets: Sets;
}

export function createIntersect(deps: IntersectDependencies): Warehouse['intersect'] {
  const { manifest, overlap, sets } = deps;
  return async function* (of, segmentIds, signal) {
    // Few of many segments hold any of few devices, and counting reads all of them at once.
    const counts = await overlap(of, segmentIds, signal);
    for (const segmentId of segmentIds.filter((_, i) => counts[i]! > 0)) {
      await using held = new AsyncDisposableStack();
      const take = await sets.open(() => runsOf(manifest, of), held);
      const against = await sets.open(() => manifest.readableRunsOf([segmentId]), held);
      for (const opened of against) {
        const { runId } = opened.run;
        for await (const { devices } of sets.gather({ take, within: [opened] }, signal)) {
          if (devices.length > 0) yield { segmentId, runId, devices };
        }
      }
    }
  };
}
