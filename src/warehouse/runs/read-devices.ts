import type { Manifest, Run } from '../../records/warehouse/manifest.ts';
import type { DeviceSet, Warehouse } from '../port.ts';
import { devicesIn, type Sets } from './sets/sets.ts';

export interface ReadDependencies {
  readonly manifest: Pick<Manifest, 'readableRunsOf'>;
  readonly sets: Sets;
}

export function createRead({ manifest, sets }: ReadDependencies): Warehouse['read'] {
  return async function* (of, signal) {
    await using held = new AsyncDisposableStack();
    const take = await sets.open(() => runsOf(manifest, of), held);
    yield* devicesIn(sets.gather({ take }, signal));
  };
}

/** The runs of a set. No run of the manifest has the id of staged ones. */
export async function runsOf(
  manifest: Pick<Manifest, 'readableRunsOf'>,
  of: DeviceSet,
): Promise<Run[]> {
  const own = 'segmentId' in of ? await manifest.readableRunsOf([of.segmentId]) : [];
  return [...own, ...(of.staged ?? []).map((run) => ({ ...run, runId: 0 }))];
}
