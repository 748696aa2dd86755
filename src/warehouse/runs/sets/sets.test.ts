import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packRuns, unpackRuns } from './packed-runs.ts';
import { openTestSets, type TestSets } from './testing/sets-over-files.ts';
import { shapes } from './testing/shapes.ts';

const { signal } = new AbortController();
const numRuns = process.env.TRIBUTARY_SOAK === '1' ? 300 : 10;

function numbersBelow(end: number, isIn: (number: number) => boolean): number[] {
  return Array.from({ length: end }, (_, number) => number).filter(isIn);
}

/** In this thread with little capacity, so that ranges are cut repeatedly; and with defaults. */
describe.each([
  { name: 'with a capacity of 700 devices', options: { inline: true, capacity: 700 } },
  { name: 'in threads', options: { inline: false } },
])('sets of runs $name', ({ options }) => {
  let test: TestSets;
  beforeAll(async () => {
    test = await openTestSets(options);
  });
  afterAll(() => test[Symbol.asyncDispose]());

  it.each(Object.entries(shapes))('counts and gathers devices %s', async (_, device) => {
    const devices = (isIn: (number: number) => boolean) => numbersBelow(24_000, isIn).map(device);
    const [thirds] = await test.runsOf(devices((n) => n % 3 === 0));
    const [fifths] = await test.runsOf(devices((n) => n % 5 === 0));
    const [first, second] = await test.runsOf(
      devices((n) => n < 5_000),
      devices((n) => n >= 9_000 && n < 9_003),
    );
    expect(await test.sets.overlap([thirds!], [[fifths!], [second!], []], signal)).toEqual([
      1_600, 1, 0,
    ]);
    expect(await test.sets.overlap([first!, second!], [[thirds!]], signal)).toEqual([1_668]);
    expect(await test.sets.count([thirds!, fifths!, first!], signal)).toBe(
      devices((n) => n % 3 === 0 || n % 5 === 0 || n < 5_000).length,
    );
    const merged = await test.gathered({ take: [thirds!, fifths!] });
    expect(merged.devices).toEqual(devices((n) => n % 3 === 0 || n % 5 === 0).sort());
    const left = await test.gathered({
      take: [thirds!],
      within: [first!, second!],
      without: [fifths!],
    });
    expect(left).toEqual({
      devices: devices((n) => n % 3 === 0 && n % 5 !== 0 && n < 5_000).sort(),
      held: [1_333, 0],
    });
  });
});

describe('sets of a few devices', () => {
  it('agree with sets in memory', async () => {
    await using test = await openTestSets({ inline: true, capacity: 7 });
    const run = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 30 });
    const sample = fc.record({
      shape: fc.constantFrom(...Object.values(shapes)),
      take: fc.array(run, { minLength: 1, maxLength: 4 }),
      within: fc.array(run, { maxLength: 2 }),
      without: fc.array(run, { maxLength: 2 }),
    });
    const check = fc.asyncProperty(sample, async ({ shape, take, within, without }) => {
      const opened = await test.runsOf(
        ...[...take, ...within, ...without].map((numbers) => numbers.map(shape)),
      );
      const runs = {
        take: opened.slice(0, take.length),
        within: opened.slice(take.length, take.length + within.length),
        without: opened.slice(take.length + within.length),
      };
      const all = new Set(take.flat());
      expect(await test.sets.count(runs.take, signal)).toBe(all.size);
      const against = [...within, ...without];
      expect(
        await test.sets.overlap(
          runs.take.slice(0, 1),
          [...runs.within, ...runs.without].map((one) => [one]),
          signal,
        ),
      ).toEqual(against.map((numbers) => numbers.filter((n) => take[0]!.includes(n)).length));
      const kept = [...all].filter(
        (n) => !without.flat().includes(n) && (within.length === 0 || within.flat().includes(n)),
      );
      const { devices } = await test.gathered({
        take: runs.take,
        without: runs.without,
        ...(within.length > 0 ? { within: runs.within } : {}),
      });
      expect(devices).toEqual(kept.map(shape).sort());
    });
    await fc.assert(check, { numRuns });
  });
});

describe('a profile', () => {
  it.each(Object.entries(shapes))(
    'counts the devices of sets in its runs, %s',
    async (_, device) => {
      await using test = await openTestSets({ inline: true, capacity: 700 });
      const devices = (isIn: (number: number) => boolean) => numbersBelow(24_000, isIn).map(device);
      const runs = await test.runsOf(
        devices((n) => n % 3 === 0),
        devices((n) => n % 5 === 0),
        devices((n) => n >= 9_000 && n < 9_003),
      );
      const sets = await test.runsOf(
        devices((n) => n % 2 === 0),
        devices((n) => n === 9_000),
        devices((n) => n > 23_900),
      );
      const profile = await test.profileOf(runs);
      expect(profile.run.devices).toBe(devices((n) => n % 3 === 0 || n % 5 === 0).length + 2);
      const counts = await test.sets.profiles.count(
        profile,
        [[sets[0]!], [sets[1]!, sets[2]!], []],
        signal,
      );
      expect(counts.map((ofSet) => [...ofSet])).toEqual([
        [4_000, 2_400, 2],
        [34, 20, 1],
        [0, 0, 0],
      ]);
      const ofOneRun = await test.sets.profiles.count(runs[0]!, [[sets[0]!], [sets[2]!]], signal);
      expect(ofOneRun.map((ofSet) => [...ofSet])).toEqual([[4_000], [33]]);
    },
  );

  it('agrees with sets in memory', async () => {
    await using test = await openTestSets({ inline: true, capacity: 7 });
    const run = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 30 });
    const sample = fc.record({
      shape: fc.constantFrom(...Object.values(shapes)),
      runs: fc.array(run, { minLength: 1, maxLength: 5 }),
      sets: fc.array(run, { minLength: 1, maxLength: 3 }),
    });
    const check = fc.asyncProperty(sample, async ({ shape, runs, sets }) => {
      const opened = await test.runsOf(...[...runs, ...sets].map((numbers) => numbers.map(shape)));
      const profile = await test.profileOf(opened.slice(0, runs.length));
      const ofSets = opened.slice(runs.length).map((set) => [set]);
      const counts = await test.sets.profiles.count(profile, ofSets, signal);
      const expected = sets.map((set) =>
        runs.map((numbers) => numbers.filter((n) => set.includes(n)).length),
      );
      expect(counts.map((ofSet) => [...ofSet])).toEqual(expected);
      const ofOneRun = await test.sets.profiles.count(opened[0]!, ofSets, signal);
      expect(ofOneRun.map((ofSet) => [...ofSet])).toEqual(expected.map(([first]) => [first]));
    });
    await fc.assert(check, { numRuns });
  });

  it('with a damaged list fails with an error that names the file and the page', async () => {
    await using test = await openTestSets({ inline: true });
    const device = shapes['evenly spread']!;
    const runs = await test.runsOf(
      numbersBelow(9_000, (n) => n % 2 === 0).map(device),
      numbersBelow(9_000, (n) => n % 3 === 0).map(device),
    );
    const profile = await test.profileOf(runs);
    await using handle = await open(join(test.directory, profile.run.file), 'r+');
    await handle.write('!', profile.open.lists.offsets[1]! + 100);
    await expect(test.sets.profiles.count(profile, [[runs[0]!]], signal)).rejects.toThrow(
      `run file ${profile.run.file} cannot be read: lists of row group 0, page 1: checksum mismatch`,
    );
  });
});

describe('a damaged file', () => {
  const device = shapes['evenly spread']!;
  const devices = (from: number, to: number) =>
    numbersBelow(to, (number) => number >= from).map(device);

  it('fails a count with an error that names the file and the page', async () => {
    await using test = await openTestSets({ inline: true });
    const [set] = await test.runsOf(devices(0, 100));
    const [damaged] = await test.runsOf(devices(50, 9_000));
    const path = join(test.directory, damaged!.run.file);
    await using handle = await open(path, 'r+');
    await handle.write('!', 100_000);
    const failure = `run file ${damaged!.run.file} cannot be read: row group 0, page 1: checksum mismatch`;
    await expect(test.sets.overlap([set!], [[damaged!]], signal)).rejects.toThrow(failure);
    await expect(test.sets.count([set!, damaged!], signal)).rejects.toThrow(failure);
    await expect(test.gathered({ take: [set!], without: [damaged!] })).rejects.toThrow(failure);
    await truncate(path, 100_000);
    await expect(test.sets.count([set!, damaged!], signal)).rejects.toThrow(
      'row group 0, page 1: unexpected end of file',
    );
  });

  it('does not affect reads of other files', async () => {
    await using test = await openTestSets({ inline: false });
    const [whole] = await test.runsOf(devices(0, 100));
    const [damaged] = await test.runsOf(devices(0, 10));
    await truncate(join(test.directory, damaged!.run.file), 10);
    await expect(test.sets.count([whole!, damaged!], signal)).rejects.toThrow('cannot be read');
    expect(await test.sets.count([whole!], signal)).toBe(100);
  });
});

describe('thousands of runs', () => {
  it('are sent to threads in few buffers', async () => {
    await using test = await openTestSets({ inline: false });
    const device = shapes['evenly spread']!;
    const runs = await test.runsOf(...numbersBelow(3_000, () => true).map((n) => [device(n)]));
    const indexes = runs.map(({ open }) => open.index);
    expect(new Set(indexes.map(({ spans }) => spans.buffer)).size).toBe(1);
    expect(packRuns(runs.map(({ open }) => open))).toMatchObject({
      files: { length: 1 },
      memories: { length: 1 },
      rowGroupStarts: [[0]],
    });
    expect(await test.sets.count(runs, signal)).toBe(3_000);
    const against = runs.map((run) => [run]);
    expect(await test.sets.overlap(runs.slice(7, 9), against, signal)).toEqual(
      runs.map((_, i) => (i === 7 || i === 8 ? 1 : 0)),
    );
    const counts = await test.sets.profiles.count(runs[700]!, against, signal);
    expect(counts.map(([count]) => count)).toEqual(runs.map((_, i) => (i === 700 ? 1 : 0)));
  });

  it('of several row groups and files are the same after packing', async () => {
    await using test = await openTestSets({ inline: true });
    const [one] = await test.runsOf(['0'.repeat(32)]);
    const [other] = await test.runsOf(['1'.repeat(32)]);
    const long = {
      ...other!.open,
      fd: null,
      index: { ...other!.open.index, rowGroupStarts: [0, 1] },
    };
    expect(unpackRuns(packRuns([one!.open, long, other!.open]))).toEqual([
      one!.open,
      long,
      other!.open,
    ]);
  });
});

describe('an aborted gather', () => {
  it('stops between ranges', async () => {
    await using test = await openTestSets({ inline: true, capacity: 50 });
    const device = shapes['evenly spread']!;
    const [run] = await test.runsOf(numbersBelow(20_000, () => true).map(device));
    const stopping = new AbortController();
    const batches = test.sets.gather({ take: [run!] }, stopping.signal);
    await batches.next();
    stopping.abort(new Error('stopped'));
    await expect(Array.fromAsync(batches)).rejects.toThrow('stopped');
  });
});
