import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openWarehouseWorld,
  range,
  type WarehouseWorld,
} from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
let world: WarehouseWorld;
let universe: number;
/** Two attributes and an audience. */
let one: number;
let other: number;
let audience: number;

beforeEach(async () => {
  world = await openWarehouseWorld();
  universe = (await world.records.universe.state()).segmentId;
  const { partnerId } = await world.records.partners.create('acme');
  const fields = { name: 'Tea', description: '', partnerForeignKey: null };
  const attributeId = await world.records.attributes.create(partnerId, fields);
  const owned = world.db.selectFrom('attribute').where('attribute_id', '=', attributeId);
  one = (await owned.select('segment_id').executeTakeFirstOrThrow()).segment_id;
  other = await world.newSegment('attribute');
  audience = await world.newSegment('audience');
});
afterEach(() => world[Symbol.asyncDispose]());

function fold() {
  return world.verbs.refreshUniverse(signal);
}

function overlap(...segmentIds: number[]) {
  return world.verbs.overlap({ segmentId: audience }, segmentIds, signal);
}

async function unreadable(): Promise<readonly string[]> {
  return (await world.verbs.compact({ rewriteAfterSeconds: 3_600 }, signal)).damaged;
}

/** Damages the file of a segment's only run, and returns a function that repairs it. */
async function damage(segmentId: number, how: 'page' | 'footer' | 'lost' = 'page') {
  const [run] = await world.runsOf(segmentId);
  const path = join(world.directory, run!.file);
  const content = await readFile(path);
  if (how === 'page') await writeFile(path, Buffer.from(content).fill('x', 60, 68));
  else if (how === 'footer') await truncate(path, 100);
  else await rm(path);
  return () => writeFile(path, content);
}

describe('a damaged run of an attribute', () => {
  it.each(['page', 'footer', 'lost'] as const)(
    'does not stop the universe of the others: %s',
    async (how) => {
      await world.add(one, range(0, 10));
      await world.add(other, range(5, 20));
      const repair = await damage(one, how);
      expect(await fold()).toMatchObject({ version: 1, folded: 1 });
      expect(await world.numbersOf(universe)).toEqual(range(5, 20));
      expect(await world.records.universe.state()).toMatchObject({ backlog: 0 });
      // It is reported, with its owner, until it is repaired.
      const reason = /^run file job-1-1.parquet .* \(attribute \d+ of partner \d+\)$/;
      expect(await unreadable()).toEqual([expect.stringMatching(reason)]);
      expect(await fold()).toMatchObject({ version: 1, folded: 0 });

      await repair();
      expect(await unreadable()).toEqual([]);
      expect(await fold()).toMatchObject({ version: 2, folded: 1 });
      expect(await world.numbersOf(universe)).toEqual(range(0, 20));
    },
  );

  it('does not stop the deletion of others, and gets its devices back when it is repaired', async () => {
    await world.add(one, range(0, 10));
    await world.add(other, range(5, 20));
    await fold();
    const repair = await damage(one);
    await world.drop(...(await world.runsOf(other)));
    await fold();
    // Whether it has the devices 5 to 9 is not known.
    expect(await world.numbersOf(universe)).toEqual(range(0, 5));
    await repair();
    await unreadable();
    await fold();
    expect(await world.numbersOf(universe)).toEqual(range(0, 10));
  });

  it('is forgotten when it is dropped', async () => {
    await world.add(one, range(0, 10));
    await damage(one);
    await fold();
    await world.drop(...(await world.runsOf(one)));
    await world.add(other, range(5, 20));
    await fold();
    expect(await world.numbersOf(universe)).toEqual(range(5, 20));
    expect(await unreadable()).toEqual([]);
    expect(await world.records.damagedRuns.list()).toEqual([]);
    await world.verbs.sweep(0);
    expect(await world.files()).toHaveLength(2);
  });

  it('does not stop the counts of the others', async () => {
    await world.add(one, range(0, 10));
    await world.add(other, range(5, 20));
    await world.add(audience, range(8, 30));
    const repair = await damage(one);
    expect(await overlap(one, other)).toEqual([0, 12]);
    expect(await world.verbs.countDistinct([one, other], signal)).toBe(15);
    const { records } = world;
    const version = async () => (await records.universe.state()).version;
    await fold();
    const before = await version();
    await repair();
    await unreadable();
    await fold();
    expect(await version()).toBe(before + 1);
    expect(await overlap(one, other, universe)).toEqual([2, 12, 12]);
  });
});

describe('a damaged run of the universe', () => {
  it.each(['page', 'lost'] as const)('is written again from the attributes: %s', async (how) => {
    await world.add(one, range(0, 10));
    await world.add(other, range(5, 20));
    await world.add(audience, range(0, 30));
    await fold();
    await damage(universe, how);
    // The version shows that counts with the rest of the universe are out of date.
    expect(await overlap(universe)).toEqual([0]);
    expect(await world.records.universe.state()).toMatchObject({ version: 2, backlog: 2 });
    expect(await fold()).toMatchObject({ version: 3, folded: 2 });
    expect(await world.numbersOf(universe)).toEqual(range(0, 20));
    expect(await overlap(universe)).toEqual([20]);
    expect(await unreadable()).toEqual([]);
  });

  it('is found by a fold as well', async () => {
    await world.add(one, range(0, 10));
    await fold();
    await damage(universe);
    await world.add(other, range(5, 20));
    await fold();
    expect(await world.numbersOf(universe)).toEqual(range(0, 20));
  });
});

it('a damaged run of an audience fails the counts of that audience only', async () => {
  const whole = await world.newSegment('audience');
  await world.add(one, range(0, 10));
  await world.add(audience, range(0, 10));
  await world.add(whole, range(5, 15));
  await damage(audience);
  await expect(overlap(one)).rejects.toThrow('checksum mismatch');
  expect(await world.verbs.overlap({ segmentId: whole }, [one], signal)).toEqual([5]);
});
