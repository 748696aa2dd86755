import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noReserve } from '../../../../src/domain/disk-reserve.ts';
import type { Records } from '../../../../src/records/records.ts';
import { createCompaction } from '../../../../src/warehouse/runs/compact.ts';
import {
  openWarehouseWorld,
  range,
  type WarehouseWorld,
} from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
let world: WarehouseWorld;

beforeEach(async () => {
  world = await openWarehouseWorld({ profiledFrom: 2 });
});
afterEach(() => world[Symbol.asyncDispose]());

/** Adds the devices that a segment does not hold yet, as a load does. */
async function addNew(segmentId: number, numbers: readonly number[]): Promise<void> {
  const before = new Set(await world.numbersOf(segmentId));
  const added = numbers.filter((number) => !before.has(number));
  if (added.length > 0) await world.add(segmentId, added);
}

async function compare(audience: number, ...parts: { segmentId: number; since?: number }[]) {
  const counts = await world.verbs.compare([{ segmentId: audience }], parts, signal);
  return counts.map(({ version, isGain, devices }) => ({ version, isGain, devices: devices[0] }));
}

const { refreshUniverse, compact } = {
  refreshUniverse: () => world.verbs.refreshUniverse(signal),
  compact: () => world.verbs.compact({ rewriteAfterSeconds: 0 }, signal),
};

async function newAttributes(): Promise<[number, number]> {
  return [await world.newSegment('attribute'), await world.newSegment('attribute')];
}

/** Two attributes with five devices in common, and their profile. */
async function profiled() {
  const [first, second] = await newAttributes();
  await world.add(first, range(0, 10));
  await world.add(second, range(5, 15));
  await refreshUniverse();
  const [profile] = await profiles();
  return { first, second, profile: profile! };
}

async function profiles() {
  return (await world.records.profiles.state()).profiles;
}

describe('the gain of a segment since a version', () => {
  let audience: number;
  let attribute: number;

  beforeEach(async () => {
    audience = await world.newSegment('audience');
    attribute = await world.newSegment('attribute');
    await world.add(audience, range(0, 100));
    await world.add(attribute, range(50, 150));
    await refreshUniverse();
  });

  it('is counted alone if the segment only gained devices', async () => {
    const [before] = await compare(audience, { segmentId: attribute });
    expect(before).toEqual({ version: 1, isGain: false, devices: 50 });
    await world.add(attribute, range(40, 50));
    const gain = { version: 2, isGain: true, devices: 10 };
    expect(await compare(audience, { segmentId: attribute, since: 1 })).toEqual([gain]);
    await refreshUniverse();
    expect(await compare(audience, { segmentId: attribute, since: 1 })).toEqual([gain]);
    const none = { version: 2, isGain: true, devices: 0 };
    expect(await compare(audience, { segmentId: attribute, since: 2 })).toEqual([none]);
  });

  it('is unknown if the segment lost devices since, and known again after that', async () => {
    await world.add(attribute, range(40, 50));
    await world.drop((await world.runsOf(attribute))[0]!);
    const whole = { version: 3, isGain: false, devices: 10 };
    expect(await compare(audience, { segmentId: attribute, since: 2 })).toEqual([whole]);
    await world.add(attribute, [0]);
    const gain = { version: 4, isGain: true, devices: 1 };
    expect(await compare(audience, { segmentId: attribute, since: 3 })).toEqual([gain]);
  });

  it('is unknown if a merged run has devices from before and after', async () => {
    for (const number of range(0, 12)) await world.add(attribute, [number]);
    await refreshUniverse();
    expect(await compact()).toMatchObject({ mergedRuns: 12 });
    const whole = { version: 13, isGain: false, devices: 62 };
    expect(await compare(audience, { segmentId: attribute, since: 5 })).toEqual([whole]);
    const gain = { version: 13, isGain: true, devices: 12 };
    expect(await compare(audience, { segmentId: attribute, since: 1 })).toEqual([gain]);
  });
});

describe('a profile', () => {
  it('numbers the runs that a fold finds, and passes their numbers on to merged runs', async () => {
    const [first, second] = await newAttributes();
    for (const number of range(0, 12)) {
      await world.add(first, range(number * 10, number * 10 + 9));
      await world.add(second, range(number * 10 + 5, number * 10 + 10));
      await refreshUniverse();
    }
    expect((await profiles()).flatMap(({ sources }) => sources)).toHaveLength(24);
    await compact();
    expect(await world.runsOf(first)).toHaveLength(1);
    const runIds = (await profiles()).flatMap(({ sources }) => sources.map(({ runId }) => runId));
    const [one, other] = [(await world.runsOf(first))[0]!, (await world.runsOf(second))[0]!];
    expect(new Set(runIds)).toEqual(new Set([one.runId, other.runId]));
    const audience = await world.newSegment('audience');
    await world.add(audience, range(0, 60));
    const counts = await compare(audience, { segmentId: first }, { segmentId: second });
    expect(counts.map(({ devices }) => devices)).toEqual([54, 30]);
  });

  it('is written again without the devices of a dropped run, and removed with the last one', async () => {
    const { first, second, profile: before } = await profiled();
    expect(before.run.devices).toBe(15);
    await world.drop(...(await world.runsOf(first)));
    await world.add(first, range(20, 30));
    await refreshUniverse();
    await compact();
    expect((await profiles()).map(({ run }) => run.file)).not.toContain(before.run.file);
    // The next compaction numbers the runs that are left together with new ones.
    await compact();
    const after = await profiles();
    expect(after.flatMap(({ sources }) => sources)).toHaveLength(2);
    for (const attribute of [first, second]) await world.drop(...(await world.runsOf(attribute)));
    await refreshUniverse();
    await compact();
    expect(await profiles()).toEqual([]);
  });
});

it('a profile that loses a run while it is written has devices of that run since before it was dropped', async () => {
  const third = await world.newSegment('attribute');
  await world.add(third, range(10, 20));
  const { first, second, profile } = await profiled();
  await world.drop(...(await world.runsOf(first)));
  let droppedAt = 0;
  const { records, directory } = world;
  const watched: Records = {
    ...records,
    async inTransaction(work) {
      await world.drop(...(await world.runsOf(second)));
      droppedAt = Date.now();
      await sleep(5);
      return records.inTransaction(work);
    },
  };
  const sets = world.newSets();
  const compact = createCompaction({
    directory,
    records: watched,
    sets,
    reserve: noReserve,
    profiledFrom: 2,
  });
  await compact({ rewriteAfterSeconds: 0 }, signal);
  const [after] = await profiles();
  expect(after!.run.file).not.toBe(profile.run.file);
  expect(after!.lostSourceAt!.getTime()).toBeLessThanOrEqual(droppedAt);
});

it('a profile with devices of a dropped run leaves the disk even if another of its runs is damaged', async () => {
  const { first, second, profile } = await profiled();
  await world.drop(...(await world.runsOf(first)));
  await world.add(first, range(20, 30));
  await world.add(first, range(30, 40));
  await refreshUniverse();
  const [damaged] = await world.runsOf(second);
  await using handle = await open(join(world.directory, damaged!.file), 'r+');
  await handle.write('damaged!', 60);
  await compact();
  await world.verbs.sweep(0);
  expect(await world.files()).not.toContain(profile.run.file);
});

it('finds the same counts as a model, after any history', async () => {
  const audiences = await Promise.all([1, 2].map(() => world.newSegment('audience')));
  const attributes = await Promise.all([1, 2, 3].map(() => world.newSegment('attribute')));
  const segment = fc.constantFrom(...attributes, ...audiences);
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('add'), segment, fc.nat(300), fc.nat(80)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('drop'), segment, fc.nat(10), fc.nat(0)) },
    { weight: 2, arbitrary: fc.constant(['fold', 0, 0, 0] as const) },
    { weight: 1, arbitrary: fc.constant(['compact', 0, 0, 0] as const) },
  );
  const known = new Map<string, { version: number; devices: number }>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      for (const [what, segmentId, from, length] of steps) {
        if (what === 'add') await addNew(segmentId, range(from, from + length));
        else if (what === 'fold') await refreshUniverse();
        else if (what === 'compact') await compact();
        else {
          const runs = await world.runsOf(segmentId);
          if (runs.length > 0) await world.drop(runs[from % runs.length]!);
          // What was counted for an audience is void when the audience changes.
        }
        if (audiences.includes(segmentId)) known.clear();
      }
      const { segmentId: universe } = await world.records.universe.state();
      const parts = [...attributes, universe];
      await refreshUniverse();
      const members = new Map<number, number[]>();
      for (const id of [...audiences, ...parts]) members.set(id, await world.numbersOf(id));
      const all = new Set(attributes.flatMap((id) => members.get(id)!));
      expect(members.get(universe)).toEqual([...all].sort((a, b) => a - b));
      for (const audience of audiences) {
        const asked = parts.map((segmentId) => {
          const since = known.get(`${audience} ${segmentId}`)?.version;
          return since === undefined ? { segmentId } : { segmentId, since };
        });
        for (const [i, { version, isGain, devices }] of (
          await compare(audience, ...asked)
        ).entries()) {
          const key = `${audience} ${parts[i]}`;
          const total = (isGain ? known.get(key)!.devices : 0) + devices!;
          const expected = members
            .get(audience)!
            .filter((number) => members.get(parts[i]!)!.includes(number)).length;
          expect(total).toBe(expected);
          known.set(key, { version, devices: total });
        }
      }
    }),
    { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 1_000 : 6 },
  );
});
