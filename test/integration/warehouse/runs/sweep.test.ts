import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManifestConflict } from '../../../../src/domain/errors.ts';
import { openWarehouseWorld, type WarehouseWorld } from '../../../support/warehouse-world.ts';

const { signal } = new AbortController();
const hour = 3_600;
const nothing = { files: 0, strays: 0 };
let world: WarehouseWorld;
let segment: number;

beforeEach(async () => {
  world = await openWarehouseWorld();
  segment = await world.newSegment('audience');
});
afterEach(() => world[Symbol.asyncDispose]());

function stageOne(owner?: { jobId: number; attempt: number }) {
  return world.stage(new Map([[segment, [1, 2, 3]]]), owner);
}

async function runningJob() {
  const { records } = world;
  const { partnerId } = await records.partners.create('acme');
  await records.jobs.submit(partnerId, 'import');
  const claim = await records.jobs.claim(60);
  return claim!;
}

/** Moves the times of all files into the past. */
async function age(
  column: 'created_at' | 'dropped_at' | 'last_dropped_at',
  seconds: number,
): Promise<void> {
  await sql`
    update run_file set ${sql.ref(column)} = ${sql.ref(column)} - ${seconds} * interval '1 second'
  `.execute(world.db);
}

async function putStray(name: string, ageSeconds: number): Promise<void> {
  const path = join(world.directory, name);
  await writeFile(path, '');
  const then = new Date(Date.now() - ageSeconds * 1000);
  await utimes(path, then, then);
}

describe('sweep', () => {
  it('keeps the file of a running attempt, and deletes it once the attempt is superseded', async () => {
    const { records } = world;
    const claim = await runningJob();
    await stageOne(claim);
    await age('created_at', 2 * hour);
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    await records.jobs.release(claim, 0);
    await records.jobs.claim(60);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 1 });
    expect(await world.files()).toEqual([]);
  });

  it('immediately deletes the uncommitted file of a job that has ended', async () => {
    const claim = await runningJob();
    await stageOne(claim);
    await world.records.inTransaction((tx) => tx.jobs.settle(claim, 'failed'));
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 1 });
  });

  it('deletes an uncommitted maintenance file after the grace period', async () => {
    const [run] = await stageOne();
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    await age('created_at', 2 * hour);
    expect(await world.records.runFiles.renew(run!.file)).toBe(true);
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    await age('created_at', 2 * hour);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 1 });
    expect(await world.records.runFiles.renew(run!.file)).toBe(false);
  });

  it('never deletes a file with a run in the manifest', async () => {
    await world.add(segment, [1]);
    await age('created_at', 2 * hour);
    expect(await world.verbs.sweep(0)).toEqual(nothing);
    expect(await world.numbersOf(segment)).toEqual([1]);
  });

  it('deletes a file whose runs are all dropped after the grace period', async () => {
    await world.add(segment, [1]);
    await world.drop(...(await world.runsOf(segment)));
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    await age('last_dropped_at', 2 * hour);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 1 });
    expect(await world.files()).toEqual([]);
  });

  it('counts the grace period of a file from the last run that it lost', async () => {
    const other = await world.newSegment('audience');
    const add = await world.stage(
      new Map([
        [segment, [1]],
        [other, [2]],
      ]),
    );
    await world.records.inTransaction((tx) => tx.manifest.apply({ add, drop: [] }));
    await world.drop(...(await world.runsOf(segment)));
    await age('dropped_at', 2 * hour);
    await age('last_dropped_at', 2 * hour);
    await world.drop(...(await world.runsOf(other)));
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    await age('last_dropped_at', 2 * hour);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 1 });
  });

  it('keeps dropped runs until they are folded into the universe', async () => {
    const attribute = await world.newSegment('attribute');
    await world.add(attribute, [1]);
    await world.drop(...(await world.runsOf(attribute)));
    expect(await world.verbs.sweep(0)).toEqual(nothing);
    await world.verbs.refreshUniverse(signal);
    expect(await world.verbs.sweep(0)).toEqual({ ...nothing, files: 1 });
  });
});

describe('after the clock was set back by a year', () => {
  const year = 365 * 24 * hour;

  it('files are deleted when the grace period from now has passed', async () => {
    await stageOne();
    const [dropped, kept] = [
      await world.newSegment('audience'),
      await world.newSegment('audience'),
    ];
    await world.add(dropped, [1]);
    const add = await world.stage(
      new Map([
        [dropped, [2]],
        [kept, [3]],
      ]),
    );
    await world.records.inTransaction((tx) => tx.manifest.apply({ add, drop: [] }));
    await world.drop(...(await world.runsOf(dropped)));
    const columns = ['created_at', 'dropped_at', 'last_dropped_at'] as const;
    for (const column of columns) await age(column, -year);
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    for (const column of columns) await age(column, hour + 1);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 2 });
    expect(await world.records.runFiles.runsToRewrite(hour)).toMatchObject([[{ segmentId: kept }]]);
  });

  it('strays are removed when the grace period from now has passed', async () => {
    await putStray('ready-1.tmp', -year);
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
    const { mtimeMs } = await stat(join(world.directory, 'ready-1.tmp'));
    expect(mtimeMs).toBeLessThanOrEqual(Date.now());
    await putStray('ready-1.tmp', hour + 1);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, strays: 1 });
  });
});

describe('sweep and a commit', () => {
  it('skips a file whose commit is in progress', async () => {
    const add = await stageOne();
    await world.records.inTransaction(async (tx) => {
      await tx.manifest.apply({ add, drop: [] });
      expect(await world.verbs.sweep(0)).toEqual(nothing);
    });
    expect(await world.numbersOf(segment)).toEqual([1, 2, 3]);
  });

  it('makes a later commit of a swept file fail', async () => {
    const add = await stageOne();
    expect(await world.verbs.sweep(0)).toEqual({ ...nothing, files: 1 });
    const commit = world.records.inTransaction((tx) => tx.manifest.apply({ add, drop: [] }));
    await expect(commit).rejects.toThrow(ManifestConflict);
    expect(await world.runsOf(segment)).toEqual([]);
  });
});

describe('strays', () => {
  it('are old files without a record, and are moved to the trash, except unfinished ones', async () => {
    await stageOne();
    const known = (await world.files())[0]!;
    for (const name of ['job-9-9.parquet', 'ready-1.tmp', 'job-8-1.parquet.tmp', 'aside-1.tmp']) {
      await putStray(name, 2 * hour);
    }
    await putStray(`${known}.tmp`, 2 * hour);
    await putStray('ready-2.tmp', 10);
    expect(await world.verbs.sweep(hour)).toEqual({ files: 0, strays: 4 });
    expect(await world.files()).toEqual([known, `${known}.tmp`, 'ready-2.tmp', 'trash']);
    const trash = join(world.directory, 'trash');
    const [added] = await readdir(trash);
    expect(await readdir(join(trash, added!))).toEqual(['job-9-9.parquet']);
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
  });

  it('do not include files of a sweep that crashed between deleting the record and the file', async () => {
    await stageOne();
    expect(await world.records.runFiles.removeUnreferenced(0)).toHaveLength(1);
    expect(await readdir(world.directory)).toHaveLength(1);
    await putStray((await world.files())[0]!, 2 * hour);
    expect(await world.verbs.sweep(hour)).toEqual({ ...nothing, files: 1 });
    expect(await world.files()).toEqual([]);
    expect(await world.verbs.sweep(hour)).toEqual(nothing);
  });
});
