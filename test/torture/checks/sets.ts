import { deepStrictEqual } from 'node:assert';
import { unionOf } from '../../acceptance/audience/figures.ts';
import type { Actor } from '../actor.ts';
import { deviceId } from '../model/marketplace.ts';
import type { Opened } from '../world/world.ts';

interface ExpectedSegment {
  readonly name: string;
  readonly segmentId: number;
  readonly devices: ReadonlySet<number>;
}

/**
 * Compares every device of the stopped service with the model, and checks that nothing is stored
 * that no segment refers to.
 */
export async function compareSets(
  opened: Opened,
  actors: readonly Actor[],
  erased: number,
): Promise<void> {
  const { records, warehouse } = opened;
  const segments = await expectedSegments(opened, actors);
  const { plain, digests, matchedSegmentId } = await records.suppression.state();
  // The identifiers are gone, their digests are not.
  deepStrictEqual(
    { plain: plain.devices, digests: digests.devices },
    { plain: 0, digests: erased },
  );
  const runs = await records.manifest.runsOf(segments.map(({ segmentId }) => segmentId));
  const suppressed = await records.manifest.runsOf([digests.segmentId, matchedSegmentId]);
  const devices = await opened.devicesOf(runs);
  for (const { name, segmentId, devices: numbers } of segments) {
    const stored = devices.filter((_, i) => runs[i]!.segmentId === segmentId).flat();
    const expected = new Set([...numbers].map((number) => deviceId(number).replaceAll('-', '')));
    const wrong = stored.filter((device) => !expected.has(device)).length;
    const found = { name, stored: stored.length, wrong };
    deepStrictEqual(found, { name, stored: numbers.size, wrong: 0 });
  }
  // What the first sweep finds unreferenced, the second one deletes.
  for (let i = 0; i < 2; i++) await warehouse.sweep(0);
  const { profiles } = await records.profiles.state();
  deepStrictEqual(
    await opened.differences([...runs, ...suppressed, ...profiles.map(({ run }) => run)]),
    [],
  );
}

async function expectedSegments(
  { records, warehouse }: Opened,
  actors: readonly Actor[],
): Promise<ExpectedSegment[]> {
  const attributes = actors.flatMap(({ model }) => [...model.attributes.values()]);
  const { segmentId } = await warehouse.refreshUniverse(new AbortController().signal);
  const segments = [{ name: 'the universe', segmentId, devices: unionOf(attributes) }];
  for (const { partnerId, model } of actors) {
    const { numbers, segmentIds } = await records.attributes.segmentKeys(partnerId, 1);
    for (const [name, { devices }] of model.attributes) {
      segments.push({ name, segmentId: segmentIds[numbers.get(name)!]!, devices });
    }
    for (const { audienceId, segmentId, devices, labels } of model.audiences) {
      segments.push({ name: `audience ${audienceId}`, segmentId, devices });
      for (const { label, segmentId } of await records.audienceLabels.of(audienceId)) {
        const labelled = labels.get(label) ?? new Set();
        segments.push({ name: `${label} of audience ${audienceId}`, segmentId, devices: labelled });
      }
    }
  }
  return segments;
}
