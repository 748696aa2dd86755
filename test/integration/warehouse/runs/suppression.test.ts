import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManifestConflict } from '../../../../src/domain/errors.ts';
import {
  openWarehouseWorld,
  range,
  type WarehouseWorld,
} from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
let world: WarehouseWorld;
let list: number;
let attribute: number;
let audience: number;

beforeEach(async () => {
  world = await openWarehouseWorld({ profiledFrom: 10 });
  list = (await world.records.suppression.state()).plain.segmentId;
  attribute = await world.newSegment('attribute');
  audience = await world.newSegment('audience');
});
afterEach(() => world[Symbol.asyncDispose]());

function subtract() {
  return world.verbs.subtract({ segmentId: list, since: 0 }, signal);
}

async function universe(): Promise<number[]> {
  const { segmentId } = await world.verbs.refreshUniverse(signal);
  return world.numbersOf(segmentId);
}

it('a fold that read attributes before does not bring devices back', async () => {
  await world.add(attribute, range(0, 10));
  await universe();
  await world.add(attribute, range(10, 20));
  const pending = await world.records.universe.pending();
  await world.add(list, [3, 13]);
  expect(await subtract()).toMatchObject({ memberships: 3, isComplete: true });
  const stale = world.records.universe.commit(pending, { add: [], drop: [] });
  await expect(stale).rejects.toThrow(ManifestConflict);
  expect(await universe()).toEqual(range(0, 20).filter((number) => number % 10 !== 3));
});

it('a run of which all devices are suppressed is dropped', async () => {
  await world.add(attribute, range(0, 3));
  await world.add(attribute, range(3, 6));
  await universe();
  await world.add(list, range(0, 4));
  expect(await subtract()).toMatchObject({ memberships: 8, rewrittenRuns: 3 });
  expect(await world.numbersOf(attribute)).toEqual([4, 5]);
  expect(await world.runsOf(attribute)).toHaveLength(1);
  expect(await universe()).toEqual([4, 5]);
});

it('profiles are written again without the devices', async () => {
  const other = await world.newSegment('attribute');
  await world.add(attribute, range(0, 20));
  await world.add(other, range(5, 25));
  await universe();
  await world.add(audience, range(0, 30));
  await world.add(list, [7]);
  await subtract();
  const overlap = () => world.verbs.overlap({ segmentId: audience }, [attribute, other], signal);
  expect(await overlap()).toEqual([19, 19]);
  await world.verbs.compact({ rewriteAfterSeconds: 0 }, signal);
  expect(await overlap()).toEqual([19, 19]);
});

it.each(['page', 'lost'] as const)(
  'a run that cannot be read is left for the next pass: %s',
  async (how) => {
    await world.add(attribute, range(0, 10));
    await world.add(audience, range(5, 15));
    await world.add(list, [7]);
    const [run] = await world.runsOf(audience);
    const path = join(world.directory, run!.file);
    const content = await readFile(path);
    if (how === 'page') await writeFile(path, Buffer.from(content).fill('x', 60, 68));
    else await rm(path);
    expect(await subtract()).toMatchObject({ isComplete: false });
    expect(await world.numbersOf(attribute)).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
    await writeFile(path, content);
    expect(await subtract()).toMatchObject({ isComplete: true, memberships: 1 });
    expect(await world.numbersOf(audience)).toEqual([5, 6, 8, 9, 10, 11, 12, 13, 14]);
  },
);
