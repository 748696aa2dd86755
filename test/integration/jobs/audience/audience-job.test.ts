import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImportProblem } from '../../../../src/domain/import-problems.ts';
import type { ObjectStore, ObjectVersion } from '../../../../src/objects/port.ts';
import {
  type Audiences,
  freshAudiences,
  type LoadingPartner,
  largeFile,
} from '../../../support/audiences.ts';
import { deviceNumber as device, deviceRows as rows } from '../../../support/devices.ts';

let audiences: Audiences;
let acme: LoadingPartner;

beforeAll(async () => {
  audiences = await freshAudiences();
});
beforeEach(async () => {
  acme = await audiences.partner();
});
afterAll(() => audiences[Symbol.asyncDispose]());

/** The real store, which reports the versions it opens. */
function watched(onOpen: (version: ObjectVersion) => unknown): ObjectStore {
  return {
    ...audiences.objects,
    async *open(version, offset) {
      await onOpen(version);
      yield* audiences.objects.open(version, offset);
    },
  };
}

/** Deletes an object in the database, because no API does. */
async function deleteObject(path: string): Promise<void> {
  await audiences.db
    .deleteFrom('blob')
    .where('key', '=', acme.prefix + path)
    .execute();
  await audiences.db
    .deleteFrom('object')
    .where('key', '=', acme.prefix + path)
    .execute();
}

async function problems(audienceId: number): Promise<Record<string, ImportProblem[]>> {
  const found = await audiences.db
    .selectFrom('audience_file')
    .select(['s3_path', 'problems'])
    .where('audience_id', '=', audienceId)
    .orderBy('entry_id')
    .execute();
  return Object.fromEntries(
    found.map((file) => [file.s3_path.slice(acme.prefix.length), file.problems ?? []]),
  );
}

/** All rejected rows of an audience's loads, with the file that refers to them, if any. */
async function rejects(audienceId: number) {
  return audiences.db
    .selectFrom('import_reject')
    .innerJoin('audience_load', 'audience_load.job_id', 'import_reject.job_id')
    .leftJoin('audience_file as file', (join) =>
      join
        .onRef('file.job_id', '=', 'import_reject.job_id')
        .onRef('file.attempt', '=', 'import_reject.attempt')
        .onRef('file.position', '=', 'import_reject.position'),
    )
    .select(['s3_path', 'line', 'code', 'original'])
    .where('audience_load.audience_id', '=', audienceId)
    .orderBy('line')
    .execute();
}

async function progress(audienceId: number) {
  return audiences.db
    .selectFrom('job_progress')
    .innerJoin('audience_load', 'audience_load.job_id', 'job_progress.job_id')
    .select(['bytes_read', 'bytes_total', 'rows_read'])
    .where('audience_id', '=', audienceId)
    .executeTakeFirst();
}

describe('the load of an audience', () => {
  it('adds the distinct devices of its file', async () => {
    await acme.put('tea.csv', `id,event\n${rows(0, 100, '')}${rows(50, 60, '')}`);
    const tea = await acme.create('tea.csv');
    expect(await acme.details(tea)).toMatchObject({ state: 'pending', files: [] });
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({
      state: 'done',
      uploadedDevices: 110,
      uniqueDevices: 100,
      matchedDevices: 0,
    });
    expect(await acme.files(tea)).toEqual({ 'tea.csv': 'done, 110 rows' });
  });

  it('loads all files under a prefix, in key order, as they are when it runs', async () => {
    await acme.put('tea/', '');
    await acme.put('tea/2.csv', rows(0, 10, ''));
    const tea = await acme.create('tea/');
    await acme.put('tea/10.csv', rows(5, 15, ''));
    await acme.put('tea/a.csv.gz', gzipSync(rows(10, 30, '')));
    await audiences.work();
    expect(await acme.files(tea)).toEqual({
      'tea/10.csv': 'done, 10 rows',
      'tea/2.csv': 'done, 10 rows',
      'tea/a.csv.gz': 'done, 20 rows',
    });
    expect(await acme.details(tea)).toMatchObject({
      state: 'done',
      uploadedDevices: 40,
      uniqueDevices: 30,
    });
  });

  it('adds appended files to the audience and skips files that are already loaded', async () => {
    await acme.put('tea/1.csv', rows(0, 10, ''));
    const tea = await acme.create('tea/');
    await audiences.work();
    await acme.put('tea/2.csv', rows(5, 20, ''));
    await acme.append(tea, 'tea/');
    const read: string[] = [];
    await audiences.work({ objects: watched(({ key }) => read.push(key)) });
    expect(read).toEqual([`${acme.prefix}tea/2.csv`]);
    expect(await acme.details(tea)).toMatchObject({
      state: 'done',
      uploadedDevices: 25,
      uniqueDevices: 20,
    });

    await acme.append(tea, 'tea/1.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uploadedDevices: 25 });
  });

  it('loads a changed file again and removes nothing', async () => {
    await acme.put('tea.csv', rows(0, 10, ''));
    const tea = await acme.create('tea.csv');
    await audiences.work();
    await acme.put('tea.csv', rows(8, 12, ''));
    await acme.append(tea, 'tea.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ uploadedDevices: 14, uniqueDevices: 12 });
    expect(await acme.files(tea)).toEqual({ 'tea.csv': 'done, 4 rows' });
  });

  it('with a failed file loads the others, and that file once it is fixed', async () => {
    await acme.put('tea/1.csv', rows(0, 10, 'open'));
    await acme.put('tea/2.csv', `${rows(10, 20, 'never')}one column\n`);
    await acme.put('tea/3.csv', rows(20, 30, ''));
    const tea = await acme.create('tea/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'failed', uniqueDevices: 20 });
    expect(await acme.files(tea)).toEqual({
      'tea/1.csv': 'done, 10 rows',
      'tea/2.csv': 'failed, 0 rows',
      'tea/3.csv': 'done, 10 rows',
    });
    expect(await problems(tea)).toMatchObject({
      'tea/1.csv': [],
      'tea/2.csv': [{ code: 'wrong_columns', file: `${acme.prefix}tea/2.csv`, line: 11 }],
    });
    expect(await acme.labels(tea)).toEqual({ open: 10 });

    await acme.put('tea/2.csv', rows(10, 20, 'buy'));
    await acme.append(tea, 'tea/2.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uniqueDevices: 30 });
    expect(await acme.files(tea)).toMatchObject({ 'tea/2.csv': 'done, 10 rows' });
    expect(await problems(tea)).toMatchObject({ 'tea/2.csv': [] });
    expect(await acme.labels(tea)).toEqual({ open: 10, buy: 10 });
  });

  it('of a loaded file that was replaced by a bad one keeps its earlier devices', async () => {
    await acme.put('tea.csv', rows(0, 10, ''));
    const tea = await acme.create('tea.csv');
    await audiences.work();
    await acme.put('tea.csv', 'nothing to see\n');
    await acme.append(tea, 'tea.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({
      state: 'failed',
      uploadedDevices: 10,
      uniqueDevices: 10,
    });
    expect(await acme.files(tea)).toEqual({ 'tea.csv': 'failed, 10 rows' });
  });

  it('fails if there are more files than a job may have', async () => {
    await acme.put('many/1.csv', rows(0, 5, ''));
    await acme.put('many/2.csv', rows(5, 10, ''));
    const tea = await acme.create('many/');
    await audiences.work({ maxFiles: 1 });
    expect(await acme.details(tea)).toMatchObject({ state: 'failed', files: [] });
    const { problem } = await audiences.db
      .selectFrom('audience_load')
      .select('problem')
      .where('audience_id', '=', tea)
      .executeTakeFirstOrThrow();
    expect(problem).toMatchObject({ code: 'too_many_files', file: null, count: 1 });
    await acme.append(tea, 'many/');
    await audiences.work({ maxFiles: 2 });
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uniqueDevices: 10 });
  });

  it('fails if there are no files, and a later load succeeds', async () => {
    await acme.put('empty/', '');
    const tea = await acme.create('empty/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'failed', files: [] });
    const { problem } = await audiences.db
      .selectFrom('audience_load')
      .select('problem')
      .where('audience_id', '=', tea)
      .executeTakeFirstOrThrow();
    expect(problem).toMatchObject({ code: 'no_files', file: null, count: 1 });
    expect(problem?.message).toContain(`${acme.prefix}empty/`);

    await acme.put('empty/1.csv', rows(0, 5, ''));
    await acme.append(tea, 'empty/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uniqueDevices: 5 });
  });

  it('reads the new version of a replaced file and fails a deleted one', async () => {
    await acme.put('tea/1.csv', `${rows(0, 30, 'old')}nobody,\n`);
    await acme.put('tea/2.csv', rows(30, 40, ''));
    const tea = await acme.create('tea/');
    let opened = 0;
    const { objects } = audiences;
    await audiences.work({
      objects: {
        ...objects,
        async *open(version, offset) {
          opened++;
          if (version.key.endsWith('2.csv')) await deleteObject('tea/2.csv');
          const reading = objects.open(version, offset);
          if (opened > 1) return yield* reading;
          // Rows and a reject of the old version are already read when it turns out to be replaced.
          yield* reading;
          await acme.put('tea/1.csv', `${rows(0, 40, 'new')}nobody,\n`);
          yield* objects.open(version, offset);
        },
      },
    });
    expect(opened).toBe(3);
    expect(await acme.files(tea)).toEqual({
      'tea/1.csv': 'done, 40 rows',
      'tea/2.csv': 'failed, 0 rows',
    });
    expect(await problems(tea)).toMatchObject({
      'tea/1.csv': [{ code: 'malformed_id', line: 41 }],
      'tea/2.csv': [{ code: 'no_files', file: `${acme.prefix}tea/2.csv` }],
    });
    expect(await acme.labels(tea)).toEqual({ new: 40 });
    expect(await rejects(tea)).toMatchObject([{ line: 41 }]);
    expect(await progress(tea)).toMatchObject({ rows_read: 41 });
  });

  it('keeps only so many bytes of rejected rows, and reports per file how many it left out', async () => {
    await acme.put('tea/1.csv', `${rows(0, 40, '')}${'nobody,\n'.repeat(2)}`);
    await acme.put('tea/2.csv', `${rows(0, 80, '')}${'nobody,\n'.repeat(3)}`);
    const tea = await acme.create('tea/');
    await audiences.work({ rejectAllowance: { bytesPerJob: 330, bytesPerPartner: 1_000 } });
    expect(await rejects(tea)).toHaveLength(3);
    expect(await problems(tea)).toMatchObject({
      'tea/1.csv': [{ code: 'malformed_id', count: 2 }],
      'tea/2.csv': [
        { code: 'malformed_id', count: 3 },
        { code: 'rejects_left_out', count: 2, file: `${acme.prefix}tea/2.csv` },
      ],
    });
  });
});

describe('the rows of an audience', () => {
  it('add devices to the labels they name', async () => {
    await acme.put('tea/1.csv', rows(0, 10, 'open') + rows(5, 20, 'buy') + rows(0, 3, 'buy'));
    await acme.put('tea/2.csv', rows(0, 30, 'read') + rows(25, 40, ''));
    const tea = await acme.create('tea/');
    await audiences.work();
    expect(await acme.labels(tea)).toEqual({ open: 10, buy: 18, read: 30 });

    await acme.put('more.csv', rows(100, 110, 'buy') + rows(0, 1, 'open') + rows(0, 2, 'sell'));
    await acme.append(tea, 'more.csv');
    await audiences.work();
    expect(await acme.labels(tea)).toEqual({ open: 10, buy: 28, read: 30, sell: 2 });
    expect(await acme.details(tea)).toMatchObject({ uniqueDevices: 50 });
  });

  it('load without a label that is too long or over the limit, and the file reports it', async () => {
    const labels = Array.from({ length: 999 }, (_, n) => `${device(n)},label ${n}\n`).join('');
    await acme.put('tea/1.csv', labels);
    await acme.put('tea/2.csv', `${rows(0, 5, 'last')}${rows(0, 5, 'surplus')}`);
    await acme.put('tea/3.csv', rows(2_000, 2_001, 'x'.repeat(257)));
    const tea = await acme.create('tea/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uniqueDevices: 1_000 });
    expect(await acme.labels(tea)).toMatchObject({ 'label 998': 1, last: 5 });
    expect(await audiences.records.audienceLabels.of(tea)).toHaveLength(1_000);
    expect(await problems(tea)).toMatchObject({
      'tea/1.csv': [],
      'tea/2.csv': [{ code: 'too_many_labels', value: 'surplus', count: 5 }],
      'tea/3.csv': [{ code: 'label_too_long', count: 1 }],
    });

    await acme.put('more.csv', `${rows(0, 1, 'another')}${rows(7, 8, 'last')}`);
    await acme.append(tea, 'more.csv');
    await audiences.work();
    expect(await problems(tea)).toMatchObject({
      'more.csv': [{ code: 'too_many_labels', value: 'another' }],
    });
    expect(await acme.labels(tea)).toMatchObject({ last: 6 });
  });

  it('that are rejected are kept only for the last load of each file', async () => {
    await acme.put('tea/1.csv', `${rows(0, 100, '')}nobody,\n`);
    await acme.put('tea/2.csv', `${rows(0, 50, '')}\n00000000-0000-0000-0000-000000000000,\n`);
    const tea = await acme.create('tea/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uploadedDevices: 150 });
    expect(await rejects(tea)).toMatchObject([
      { s3_path: `${acme.prefix}tea/2.csv`, line: 52, code: 'zeroed_id' },
      { s3_path: `${acme.prefix}tea/1.csv`, line: 101, code: 'malformed_id' },
    ]);

    await acme.put('tea/1.csv', `${rows(0, 50, '')}somebody,\n`);
    await acme.append(tea, 'tea/');
    await audiences.work();
    expect(await rejects(tea)).toMatchObject([
      { s3_path: `${acme.prefix}tea/1.csv`, line: 51, original: Buffer.from('somebody,') },
      { s3_path: `${acme.prefix}tea/2.csv`, line: 52, code: 'zeroed_id' },
    ]);
  });

  it('and their bytes are reported while the load runs', async () => {
    const content = `${rows(0, 40, '')}nobody,\n`;
    await acme.put('tea.csv', content);
    const tea = await acme.create('tea.csv');
    let seen: unknown;
    await audiences.work({
      objects: watched(async () => {
        await expect.poll(() => acme.files(tea)).toEqual({ 'tea.csv': 'running, 0 rows' });
        seen = (await acme.details(tea)).state;
      }),
    });
    expect(seen).toBe('running');
    expect(await progress(tea)).toEqual({
      bytes_read: content.length,
      bytes_total: content.length,
      rows_read: 41,
    });
  });
});

describe('the devices matched', () => {
  it('are those in the universe, which is folded first', async () => {
    const [coffee, milk] = [await acme.attribute(), await acme.attribute()];
    await acme.put('attributes/1.csv', rows(0, 10, coffee) + rows(5, 20, milk));
    await acme.put('tea/1.csv', rows(15, 40, ''));
    await acme.queue('attributes/1.csv');
    const tea = await acme.create('tea/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ uniqueDevices: 25, matchedDevices: 5 });

    // The universe is unchanged: only the appended devices are counted.
    await acme.put('tea/2.csv', rows(0, 3, '') + rows(19, 25, ''));
    await acme.append(tea, 'tea/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ uniqueDevices: 28, matchedDevices: 8 });

    // The universe gained and lost devices: all devices are counted again.
    await acme.put('attributes/2.csv', rows(30, 35, coffee));
    await acme.import('attributes/2.csv');
    await acme.delete([milk]);
    await acme.put('tea/3.csv', rows(3, 4, ''));
    await acme.append(tea, 'tea/');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ uniqueDevices: 29, matchedDevices: 9 });
  });

  it('are counted at each commit, even if the universe changes between two commits', async () => {
    const [bravo, coffee] = [await audiences.partner(), await acme.attribute()];
    const milk = await bravo.attribute();
    await acme.put('attributes.csv', rows(1_000, 1_004, coffee) + rows(1_100, 1_200, coffee));
    await bravo.put('attributes.csv', rows(1_008, 1_300, milk));
    await acme.import('attributes.csv');
    await acme.put('tea/1.csv', rows(1_000, 1_010, ''));
    await acme.put('tea/2.csv', largeFile('') + rows(1_100, 1_110, ''));
    await acme.put('tea/3.csv', rows(1_150, 1_160, '') + rows(1_290, 1_320, ''));
    const tea = await acme.create('tea/');
    const matched: number[] = [];
    await audiences.work({
      objects: watched(async ({ key }) => {
        if (!key.endsWith('3.csv')) return;
        // Both earlier files are committed, because the second has a commit of its own.
        matched.push((await acme.details(tea)).matchedDevices);
        await bravo.import('attributes.csv');
      }),
      intake: { ...audiences.intake, filesAtOnce: 1 },
    });
    matched.push((await acme.details(tea)).matchedDevices);
    expect(matched).toEqual([14, 36]);
  });
});

describe('a load beyond a quota', () => {
  it('fails, names the quota and applies nothing; rows of other loads are counted', async () => {
    const { usage } = audiences.records;
    const { partnerId } = acme;
    const month = new Date().toISOString().slice(0, 7);
    const rowsUsed = async () => (await usage.list(month, month, partnerId))[0]?.rows ?? 0;
    const coffee = await acme.attribute();
    await acme.put('attributes.csv', rows(0, 6, coffee));
    await acme.put('tea.csv', rows(0, 5, ''));
    await usage.setQuotas(partnerId, { requests: null, rows: 10, devices: null });
    expect(await acme.import('attributes.csv')).toMatchObject({ state: 'done' });
    expect(await rowsUsed()).toBe(6);
    expect(await acme.import('attributes.csv')).toMatchObject({
      state: 'failed',
      errors: [
        { code: 'quota_exceeded', message: expect.stringContaining('10 rows per month. With') },
      ],
    });
    const tea = await acme.create('tea.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'failed', uniqueDevices: 0 });
    const page = { after: null, limit: 10 };
    expect(await audiences.records.audienceProblems.list(tea, page)).toMatchObject([
      { problem: { code: 'quota_exceeded' } },
    ]);
    expect(await rowsUsed()).toBe(6);
    await usage.setQuotas(partnerId, { requests: null, rows: null, devices: 10 });
    await acme.append(tea, 'tea.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'failed', uniqueDevices: 0 });
    await usage.setQuotas(partnerId, { requests: null, rows: null, devices: 11 });
    await acme.append(tea, 'tea.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ state: 'done', uniqueDevices: 5 });
    expect(await rowsUsed()).toBe(11);
  });
});
