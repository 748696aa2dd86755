import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noReserve } from '../../../../src/domain/disk-reserve.ts';
import type { SegmentKind } from '../../../../src/records/database/schema.ts';
import type { Records } from '../../../../src/records/records.ts';
import { overlapBy } from '../../../../src/warehouse/overlap.ts';
import { createCompaction } from '../../../../src/warehouse/runs/compact.ts';
import { createCompare } from '../../../../src/warehouse/runs/compare.ts';
import { deviceNumber } from '../../../support/devices.ts';
import {
  openWarehouseWorld,
  range,
  type WarehouseWorld,
} from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
let world: WarehouseWorld;

beforeEach(async () => {
  world = await openWarehouseWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Deleted devices may stay on disk for a while. */
const patiently = { rewriteAfterSeconds: 3_600 };
const atOnce = { rewriteAfterSeconds: 0 };

const nothingDone = { mergedRuns: 0, rewrittenRuns: 0, conflicts: 0, damaged: [] };

async function newSegments(kind: SegmentKind): Promise<[number, number]> {
  return [await world.newSegment(kind), await world.newSegment(kind)];
}

/** Adds runs of several segments, in one file. */
async function addTogether(...contents: [number, readonly number[]][]) {
  const add = await world.stage(new Map(contents));
  await world.records.inTransaction((tx) => tx.manifest.apply({ add, drop: [] }));
  return add;
}

function compact(options = patiently) {
  return world.verbs.compact(options, signal);
}

/** A compaction that calls `happens` before its commit. */
async function compactWhile(happens: () => Promise<unknown>) {
  const { records, directory } = world;
  const watched: Records = {
    ...records,
    async inTransaction(work) {
      await happens();
      return records.inTransaction(work);
    },
  };
  const sets = world.newSets();
  const compact = createCompaction({ directory, records: watched, sets, reserve: noReserve });
  return await compact(patiently, signal);
}

async function holdsDevice(number: number): Promise<string[]> {
  const bytes = Buffer.from(deviceNumber(number).replaceAll('-', ''), 'hex');
  const files = await world.files();
  const contents = await Promise.all(files.map((file) => readFile(join(world.directory, file))));
  return files.filter((_, i) => contents[i]!.includes(bytes));
}

async function damage(file: string): Promise<void> {
  await using handle = await open(join(world.directory, file), 'r+');
  await handle.write('damaged!', 60);
}

describe('compact', () => {
  it('merges many small runs into one, and leaves a large one alone', async () => {
    const segment = await world.newSegment('audience');
    await world.add(segment, range(0, 5_000));
    const [large] = await world.runsOf(segment);
    for (let i = 0; i < 11; i++) await world.add(segment, range(5_000 + i * 10, 5_010 + i * 10));
    expect(await compact()).toEqual({ ...nothingDone, mergedRuns: 11 });
    const runs = await world.runsOf(segment);
    expect(runs).toContainEqual(large);
    expect(runs.map(({ devices }) => devices)).toEqual([5_000, 110]);
    expect(await world.numbersOf(segment)).toEqual(range(0, 5_110));
    expect(await compact()).toEqual(nothingDone);
  });

  it('leaves ten runs alone', async () => {
    const segment = await world.newSegment('label');
    for (const number of range(0, 10)) await world.add(segment, [number]);
    expect(await compact()).toMatchObject({ mergedRuns: 0 });
  });

  it('merges the runs of several segments, and of the universe, into one file', async () => {
    const attributes = await newSegments('attribute');
    for (const number of range(0, 11)) {
      for (const [i, attribute] of attributes.entries()) await world.add(attribute, [number + i]);
      await world.verbs.refreshUniverse(signal);
    }
    const { segmentId: universe } = await world.records.universe.state();
    await compact();
    const merged = await world.records.manifest.runsOf([...attributes, universe]);
    expect(merged).toHaveLength(3);
    expect(new Set(merged.map(({ file }) => file)).size).toBe(1);
    expect(await world.numbersOf(universe)).toEqual(range(0, 12));
    expect((await world.verbs.refreshUniverse(signal)).folded).toBe(0);
  });

  it('waits until the runs of an attribute are folded into the universe', async () => {
    const attribute = await world.newSegment('attribute');
    for (const number of range(0, 12)) await world.add(attribute, [number]);
    expect(await compact()).toEqual(nothingDone);
    const { universe, manifest } = world.records;
    const drop = await manifest.runsOf([attribute]);
    const add = await world.stage(new Map([[attribute, range(0, 12)]]));
    await expect(
      world.records.inTransaction((tx) => tx.manifest.rewrite({ add, drop })),
    ).rejects.toThrow('a run to be replaced is not folded into the universe yet');
    await world.verbs.refreshUniverse(signal);
    expect(await compact()).toMatchObject({ mergedRuns: 12 });
    await world.verbs.refreshUniverse(signal);
    expect(await world.numbersOf((await universe.state()).segmentId)).toEqual(range(0, 12));
  });

  it('discards a merge if the segment changed meanwhile', async () => {
    const segment = await world.newSegment('audience');
    for (const number of range(0, 11)) await world.add(segment, [number]);
    const outcome = await compactWhile(async () => {
      await world.drop((await world.runsOf(segment))[3]!);
    });
    expect(outcome).toEqual({ ...nothingDone, conflicts: 1 });
    expect(await world.numbersOf(segment)).toEqual(range(0, 11).filter((n) => n !== 3));
    expect((await world.files()).filter((file) => file.startsWith('compaction'))).toEqual([]);
  });

  it('discards a merge if its file was swept before the commit', async () => {
    const segment = await world.newSegment('audience');
    for (const number of range(0, 11)) await world.add(segment, [number]);
    const outcome = await compactWhile(() => world.verbs.sweep(0));
    expect(outcome).toMatchObject({ mergedRuns: 0, conflicts: 1 });
    expect(await world.numbersOf(segment)).toEqual(range(0, 11));
  });

  it('runs in one process at a time, so that none merges the same runs in vain', async () => {
    const segment = await world.newSegment('audience');
    for (const number of range(0, 15)) await world.add(segment, [number]);
    const others = world.moreVerbs();
    const outcome = await compactWhile(async () => {
      expect(await others.compact(patiently, signal)).toEqual(nothingDone);
    });
    expect(outcome).toEqual({ ...nothingDone, mergedRuns: 15 });
    expect(await world.numbersOf(segment)).toEqual(range(0, 15));
  });
});

describe('a deleted device', () => {
  it('is gone from disk once its file is rewritten and swept', async () => {
    const [one, other] = await newSegments('audience');
    const add = await addTogether([one, range(0, 5_000)], [other, range(5_000, 5_010)]);
    await world.drop(...(await world.runsOf(one)));
    expect(await compact(patiently)).toMatchObject({ rewrittenRuns: 0 });
    expect(await holdsDevice(7)).toEqual([add[0]!.file]);
    expect(await compact(atOnce)).toMatchObject({ rewrittenRuns: 1 });
    await world.verbs.sweep(0);
    expect(await holdsDevice(7)).toEqual([]);
    expect(await world.numbersOf(other)).toEqual(range(5_000, 5_010));
    expect(await compact(atOnce)).toMatchObject({ rewrittenRuns: 0 });
  });

  it('stays on disk until it is removed from the universe', async () => {
    const [one, other] = await newSegments('attribute');
    await addTogether([one, [1]], [other, [2]]);
    await world.verbs.refreshUniverse(signal);
    await world.drop(...(await world.runsOf(one)));
    expect(await compact(atOnce)).toMatchObject({ rewrittenRuns: 0 });
    await world.verbs.refreshUniverse(signal);
    expect(await compact(atOnce)).toMatchObject({ rewrittenRuns: 1 });
    await world.verbs.sweep(0);
    expect(await holdsDevice(1)).toEqual([]);
    expect(await world.numbersOf((await world.records.universe.state()).segmentId)).toEqual([2]);
  });
});

describe('a damaged run', () => {
  it('is reported, and does not block the merge or rewrite of other runs', async () => {
    const [damaged, whole] = await newSegments('audience');
    for (const segment of [damaged, whole]) {
      for (const number of range(0, 12))
        await world.add(segment, range(number * 5, number * 5 + 5));
    }
    const [deleted, beside] = await newSegments('audience');
    const lost = await world.newSegment('audience');
    const broken = await addTogether([lost, range(110, 120)], [deleted, [103]]);
    await addTogether([deleted, [100]], [beside, [101]]);
    await world.drop(...(await world.runsOf(deleted)));
    const files = [(await world.runsOf(damaged))[3]!.file, broken[0]!.file];
    for (const file of files) await damage(file);

    const outcome = await compact(atOnce);
    expect(outcome).toMatchObject({ mergedRuns: 12, rewrittenRuns: 1, conflicts: 0 });
    const reason = 'row group 0, page 0: checksum mismatch';
    expect(outcome.damaged.toSorted()).toEqual(
      files.map((file) => `run file ${file} cannot be read: ${reason}`).sort(),
    );
    expect(await world.runsOf(whole)).toHaveLength(1);
    await world.verbs.sweep(0);
    expect(await holdsDevice(100)).toEqual([]);
    expect(await world.numbersOf(beside)).toEqual([101]);
    expect(await world.runsOf(damaged)).toHaveLength(12);
  });

  it('is the only failure after which compaction continues', async () => {
    const segment = await world.newSegment('audience');
    for (const number of range(0, 11)) await world.add(segment, [number]);
    const failing = compactWhile(() => Promise.reject(new Error('the database is away')));
    await expect(failing).rejects.toThrow('the database is away');
    await expect(
      world.verbs.compact(patiently, AbortSignal.abort(new Error('stopped'))),
    ).rejects.toThrow('stopped');
  });
});

describe('a reader', () => {
  it('keeps few of many files open, and starts over when one of the others is gone', async () => {
    const segment = await world.newSegment('audience');
    const other = await world.newSegment('audience');
    await world.add(other, range(0, 80));
    for (const number of range(0, 80)) await world.add(segment, [number]);
    const descriptors = async () => (await readdir('/proc/self/fd')).length;
    const before = await descriptors();
    let most = 0;
    let readings = 0;
    const sets = world.newSets();
    const compare = createCompare({
      ...world.records,
      sets: {
        ...sets,
        profiles: {
          ...sets.profiles,
          async count(...input) {
            most = Math.max(most, (await descriptors()) - before);
            if (++readings === 1) {
              await compact();
              await world.verbs.sweep(0);
            }
            return sets.profiles.count(...input);
          },
        },
      },
    });
    const overlap = overlapBy(compare);
    expect(await overlap({ segmentId: segment }, [other], signal)).toEqual([80]);
    expect(readings).toBe(2);
    expect(most).toBeLessThan(50);
  });

  it('starts over when a file is replaced and swept before it is opened', async () => {
    const segment = await world.newSegment('audience');
    for (const number of range(0, 11)) await world.add(segment, [number]);
    const { profiles } = world.records;
    let readings = 0;
    const compare = createCompare({
      ...world.records,
      sets: world.newSets(),
      profiles: {
        async sourcesOf(segmentIds) {
          const sources = await profiles.sourcesOf(segmentIds);
          if (++readings === 1) {
            await compact();
            await world.verbs.sweep(0);
          }
          return sources;
        },
      },
    });
    const overlap = overlapBy(compare);
    expect(await overlap({ segmentId: segment }, [segment], signal)).toEqual([11]);
    expect(readings).toBe(2);
  });

  it('names a file that is in the manifest but missing', async () => {
    const [one, other] = await newSegments('audience');
    await world.add(one, [1]);
    await world.add(other, [2]);
    const [run] = await world.runsOf(other);
    await rm(join(world.directory, run!.file));
    const failure = `run file ${run!.file} is in the manifest but cannot be opened: file not found`;
    const { verbs } = world;
    await expect(verbs.overlap({ segmentId: one }, [other], signal)).rejects.toThrow(failure);
    await expect(verbs.countDistinct([one, other], signal)).rejects.toThrow(failure);
  });
});
