import { availableParallelism } from 'node:os';
import { describe, expect } from 'vitest';
import { type Marketplace, rows } from '../marketplace/marketplace.ts';
import { test } from '../marketplace/shared-marketplace.ts';
import { until } from '../service.ts';
import { endlessFile, type Ingest, ingestOf, longFile, removeObject } from './ingest.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

async function started(...foreignKeys: string[]) {
  const partner = await marketplace.partner(...foreignKeys);
  const { prefix, bucket } = partner.storage;
  return { partner, prefix, bucket, ingest: ingestOf(partner) };
}

function pathsOf({ file }: Awaited<ReturnType<Ingest['details']>>): string[] {
  return file.map(({ s3_path }) => s3_path);
}

describe('file_path', { concurrent: true }, () => {
  test("may be relative to the partner's prefix, start with it, or start with s3:// and the shared bucket", async () => {
    const { partner, ingest, prefix, bucket } = await started();
    await partner.upload('day/devices.csv', rows(1, 3, ''));
    const { audience_id } = await ingest.loaded('day/devices.csv');
    for (const filePath of [
      '/day/devices.csv',
      `${prefix}day/devices.csv`,
      `/${prefix}day/devices.csv`,
      `s3://${bucket}/${prefix}day/devices.csv`,
    ]) {
      const other = await ingest.loaded(filePath);
      expect([filePath, other.status, pathsOf(other)]).toEqual([
        filePath,
        2,
        [`${prefix}day/devices.csv`],
      ]);
      // It is the same file, which is already loaded.
      await ingest.append(audience_id, filePath);
    }
    expect(await ingest.settled(audience_id)).toMatchObject({
      status: 2,
      uploaded_devices: 3,
      file: [{ s3_path: `${prefix}day/devices.csv` }],
    });
  });

  test('may be a prefix, which loads all files that start with it in key order, except folder markers', async () => {
    const { partner, ingest, prefix } = await started();
    await partner.upload('customer/audience/', '');
    await partner.upload('customer/audience/2.csv', rows(3, 6, ''));
    await partner.upload('customer/audience/1.csv', rows(1, 4, ''));
    await partner.upload('customer/audiences.csv', rows(50, 59, ''));
    const folder = await ingest.loaded('customer/audience/');
    expect(folder).toMatchObject({
      status: 2,
      uploaded_devices: 8,
      unique_devices: 6,
      file: [
        { s3_path: `${prefix}customer/audience/1.csv`, status: 2, rows_uploaded: 4 },
        { s3_path: `${prefix}customer/audience/2.csv`, status: 2, rows_uploaded: 4 },
      ],
    });
    // A prefix in S3's own sense: no "/" is implied.
    expect(await ingest.loaded('customer/audience')).toMatchObject({
      status: 2,
      unique_devices: 16,
      file: [{}, {}, { s3_path: `${prefix}customer/audiences.csv` }],
    });
  });

  test('that names an object exactly loads only that file', async () => {
    const { partner, ingest, prefix } = await started();
    await partner.upload('a', rows(1, 2, ''));
    await partner.upload('a.more', rows(3, 9, ''));
    const audience = await ingest.loaded('a');
    expect(audience).toMatchObject({ status: 2, unique_devices: 2 });
    expect(pathsOf(audience)).toEqual([`${prefix}a`]);
  });

  test('that matches no file ends in status 3, no_files', async () => {
    const { partner, ingest } = await started();
    await partner.upload('empty/', '');
    for (const filePath of ['nothing.csv', 'empty/']) {
      const audience = await ingest.loaded(filePath);
      expect(audience).toMatchObject({ status: 3, unique_devices: 0, file: [] });
      expect(await ingest.errors(audience.audience_id)).toEqual([
        {
          code: 'no_files',
          message: expect.stringContaining(filePath),
          file: null,
          line: null,
          column: null,
          value: null,
          count: 1,
        },
      ]);
    }
  });

  test("never matches another partner's file", async () => {
    const acme = await started();
    const bravo = await started();
    await acme.partner.upload('devices.csv', rows(1, 3, ''));
    const stolen = await bravo.ingest.loaded(`${acme.prefix}devices.csv`);
    expect(stolen).toMatchObject({ status: 3, unique_devices: 0, file: [] });
  });

  test('is expanded when the job starts', async () => {
    const { partner, ingest, prefix } = await started();
    const lane = await partner.held();
    const id = await ingest.create('later/');
    expect(await ingest.details(id)).toMatchObject({ status: 0, file: [] });
    await partner.upload('later/1.csv', rows(1, 5, ''));
    lane.release();
    expect(await ingest.settled(id)).toMatchObject({
      status: 2,
      unique_devices: 5,
      file: [{ s3_path: `${prefix}later/1.csv` }],
    });
  });
});

describe('append', { concurrent: true }, () => {
  test('merges new devices with existing ones and deduplicates', async () => {
    const { partner, ingest, prefix } = await started();
    const { audience_id } = await ingest.loadedFile(rows(1, 100, 'a'));
    await partner.upload('more.csv', rows(51, 150, 'b'));
    expect(await ingest.appended(audience_id, 'more.csv')).toMatchObject({
      status: 2,
      uploaded_devices: 200,
      unique_devices: 150,
      // In load order.
      file: [{ s3_path: `${prefix}devices.csv` }, { s3_path: `${prefix}more.csv` }],
    });
    expect(await ingest.labels(audience_id)).toEqual({ a: 100, b: 100 });
  });

  test('skips a file that is already loaded', async () => {
    const { ingest } = await started();
    const before = await ingest.loadedFile(rows(1, 100, ''));
    const after = await ingest.appended(before.audience_id, 'devices.csv');
    expect(after).toEqual({ ...before, updated_at: after.updated_at });
  });

  test('of a prefix loads only its new files', async () => {
    const { partner, ingest } = await started();
    await partner.upload('day/2.csv', rows(1, 10, ''));
    const before = await ingest.loaded('day/');
    await partner.upload('day/1.csv', rows(11, 15, ''));
    const after = await ingest.appended(before.audience_id, 'day/');
    expect(after).toMatchObject({ status: 2, uploaded_devices: 15, unique_devices: 15 });
    expect(after.file[0]).toEqual(before.file[0]);
    expect(after.file[1]).toMatchObject({ status: 2, rows_uploaded: 5 });
  });

  test('of a changed file merges its new content and updates its entry', async () => {
    const { partner, ingest } = await started();
    const before = await ingest.loadedFile(rows(1, 10, 'a'));
    await partner.upload('devices.csv', rows(8, 14, 'b'));
    const after = await ingest.appended(before.audience_id, 'devices.csv');
    expect(after).toMatchObject({
      status: 2,
      uploaded_devices: 17,
      unique_devices: 14,
      file: [{ status: 2, rows_uploaded: 7 }],
    });
    expect(after.file).toHaveLength(1);
    expect((after.file[0]?.updated_at ?? '') > (before.file[0]?.updated_at ?? '')).toBe(true);
    expect(await ingest.labels(before.audience_id)).toEqual({ a: 10, b: 7 });
  });

  test('of a failed file loads it again, and succeeds once it is fixed', async () => {
    const { partner, ingest } = await started();
    const failed = await ingest.loadedFile('one,two,three\n');
    expect(failed).toMatchObject({ status: 3, file: [{ status: 3, rows_uploaded: 0 }] });
    const again = await ingest.appended(failed.audience_id, 'devices.csv');
    expect(again).toMatchObject({ status: 3, file: [{ status: 3, rows_uploaded: 0 }] });
    expect((again.file[0]?.updated_at ?? '') > (failed.file[0]?.updated_at ?? '')).toBe(true);
    await partner.upload('devices.csv', rows(1, 4, ''));
    expect(await ingest.appended(failed.audience_id, 'devices.csv')).toMatchObject({
      status: 2,
      uploaded_devices: 4,
      unique_devices: 4,
      file: [{ status: 2, rows_uploaded: 4 }],
    });
    expect(await ingest.errors(failed.audience_id)).toEqual([]);
  });

  test('of a file that became invalid gives status 3 and keeps its earlier devices', async () => {
    const { partner, ingest } = await started();
    const content = rows(1, 10, '');
    const { audience_id } = await ingest.loadedFile(content);
    await partner.upload('devices.csv', `${rows(11, 20, '')}one\n`);
    const failed = { status: 3, uploaded_devices: 10, unique_devices: 10 };
    expect(await ingest.appended(audience_id, 'devices.csv')).toMatchObject({
      ...failed,
      file: [{ status: 3, rows_uploaded: 10 }],
    });
    // The entry is not in status 2, so the first content is loaded again.
    await partner.upload('devices.csv', content);
    expect(await ingest.appended(audience_id, 'devices.csv')).toMatchObject({
      status: 2,
      uploaded_devices: 20,
      unique_devices: 10,
      file: [{ status: 2, rows_uploaded: 10 }],
    });
  });
});

describe('a file of a prefix', { concurrent: true }, () => {
  test('that is deleted before it is read has status 3, no_files; a replaced one loads its new content', async () => {
    const { partner, ingest, prefix } = await started();
    await partner.upload('day/1.gz', longFile(3));
    // While a file is loaded, so many of the next ones are read ahead.
    const ahead = Array.from({ length: Math.max(8, availableParallelism()) }, (_, i) => 10 + i);
    for (const file of ahead) await partner.upload(`day/2-${file}.csv`, rows(1, 1, 'ahead'));
    await partner.upload('day/3.csv', rows(1, 10, 'deleted'));
    await partner.upload('day/4.csv', rows(11, 20, 'replaced'));
    const id = await ingest.create('day/');
    await until('the first file to run', async () => {
      const { file } = await ingest.details(id);
      return file[0]?.status === 1 && file.length === ahead.length + 3;
    });
    await removeObject(partner, 'day/3.csv');
    await partner.upload('day/4.csv', rows(21, 25, 'new'));
    expect((await ingest.details(id)).file[0]?.status).toBe(1);
    expect(await ingest.settled(id)).toMatchObject({
      status: 3,
      uploaded_devices: 3_000_005 + ahead.length,
      unique_devices: 256,
      file: [
        { status: 2, rows_uploaded: 3_000_000 },
        ...ahead.map(() => ({ status: 2, rows_uploaded: 1 })),
        { status: 3, rows_uploaded: 0 },
        { status: 2, rows_uploaded: 5 },
      ],
    });
    expect(await ingest.errors(id)).toMatchObject([
      { code: 'no_files', file: `${prefix}day/3.csv` },
    ]);
    expect(await ingest.labels(id)).toEqual({ long: 250, ahead: 1, new: 5 });
  });
});

describe('status', { concurrent: true }, () => {
  test('is 0 while waiting, 1 while running and 2 when finished, also for each file', async () => {
    const { partner, ingest } = await started();
    await partner.upload('day/1.csv', rows(1, 5, ''));
    await partner.upload('day/2.gz', endlessFile());
    await partner.upload('day/3.csv', rows(1, 5, ''));
    const running = await ingest.create('day/');
    const waiting = await ingest.create('day/3.csv');
    const seen = await until('the second file to run', async () => {
      const details = await ingest.details(running);
      return details.file[1]?.status === 1 && details;
    });
    expect(seen.status).toBe(1);
    expect(seen.file.map(({ status }) => status)).toEqual([seen.file[0]?.status, 1, 0]);
    expect(await ingest.details(waiting)).toMatchObject({ status: 0, file: [] });
    // A finished audience that waits for another load is pending again.
    await ingest.clear(running);
    expect(await ingest.settled(waiting)).toMatchObject({ status: 2, file: [{ status: 2 }] });
    const lane = await partner.held();
    await ingest.append(waiting, 'day/1.csv');
    expect(await ingest.details(waiting)).toMatchObject({
      status: 0,
      unique_devices: 5,
      file: [{ status: 2 }],
    });
    lane.release();
    expect(await ingest.settled(waiting)).toMatchObject({
      status: 2,
      file: [{ status: 2 }, { status: 2 }],
    });
  });

  test('is per file: a failed file has 3, and the others load', async () => {
    const { partner, ingest } = await started();
    await partner.upload('day/1.csv', rows(1, 20, 'a'));
    await partner.upload('day/2.csv', `${rows(21, 40, 'b')}one,two,three\n`);
    await partner.upload('day/3.csv', rows(41, 60, 'c'));
    const audience = await ingest.loaded('day/');
    expect(audience).toMatchObject({
      status: 3,
      uploaded_devices: 40,
      unique_devices: 40,
      file: [
        { status: 2, rows_uploaded: 20 },
        { status: 3, rows_uploaded: 0 },
        { status: 2, rows_uploaded: 20 },
      ],
    });
    expect(await ingest.labels(audience.audience_id)).toEqual({ a: 20, c: 20 });
  });

  test('is 3 as long as any entry is 3', async () => {
    const { partner, ingest } = await started();
    const { audience_id } = await ingest.loadedFile('one,two,three\n');
    await partner.upload('good.csv', rows(1, 5, ''));
    expect(await ingest.appended(audience_id, 'good.csv')).toMatchObject({
      status: 3,
      unique_devices: 5,
      file: [{ status: 3 }, { status: 2 }],
    });
  });

  test('is 3 if the latest load found no files, until another load finds some', async () => {
    const { ingest } = await started();
    const { audience_id } = await ingest.loadedFile(rows(1, 5, ''));
    expect(await ingest.appended(audience_id, 'nothing.csv')).toMatchObject({
      status: 3,
      unique_devices: 5,
      file: [{ status: 2 }],
    });
    expect(await ingest.appended(audience_id, 'devices.csv')).toMatchObject({
      status: 2,
      file: [{ status: 2 }],
    });
  });

  test('never shows half of a file', async () => {
    const { partner, ingest } = await started();
    for (let i = 0; i < 4; i++) {
      await partner.upload(`day/${i}`, rows(i * 50_000, i * 50_000 + 59_999, ''));
    }
    const id = await ingest.create('day/');
    for (let status = 0; status < 2; ) {
      const details = await ingest.details(id);
      ({ status } = details);
      const finished = details.file.filter((entry) => entry.status === 2);
      expect(details.uploaded_devices).toBe(60_000 * finished.length);
      expect(details.unique_devices).toBe(
        finished.length === 0 ? 0 : 50_000 * finished.length + 10_000,
      );
    }
    expect(await ingest.details(id)).toMatchObject({ status: 2, unique_devices: 210_000 });
  });
});

describe("a partner's imports and audience loads", { concurrent: true }, () => {
  test('run and complete in the order of submission', async () => {
    const { partner, ingest } = await started('k');
    await partner.upload('import.csv', rows(2_000_001, 2_060_000, 'k'));
    await partner.upload('audience.csv', rows(2_050_001, 2_070_000, ''));
    const lane = await partner.held();
    const jobs: { readonly kind: 'import' | 'audience'; readonly id: number }[] = [];
    for (let i = 0; i < 3; i++) {
      jobs.push({ kind: 'audience', id: await ingest.create('audience.csv') });
      jobs.push({ kind: 'import', id: await partner.queue('import.csv') });
    }
    const statusOf = async ({ kind, id }: (typeof jobs)[number]) =>
      (kind === 'import' ? await partner.log(id) : await ingest.details(id)).status;
    const statuses = () => Promise.all(jobs.map(statusOf));
    expect(await statuses()).toEqual([0, 0, 0, 0, 0, 0]);
    lane.release();
    for (const [index, job] of jobs.entries()) {
      await until(`job ${index} to begin`, async () => (await statusOf(job)) > 0);
      // When a job has started, the jobs before it have ended.
      expect((await statuses()).slice(0, index)).toEqual(Array.from({ length: index }, () => 2));
    }
  });

  test('give an exact matched_devices as soon as a file is finished', async () => {
    const { partner, ingest } = await started('k');
    await partner.upload('import.csv', rows(3_000_001, 3_060_000, 'k'));
    await partner.upload('audience.csv', rows(3_050_001, 3_070_000, ''));
    await partner.queue('import.csv');
    const id = await ingest.create('audience.csv');
    const first = await until('the devices to count', async () => {
      const details = await ingest.details(id);
      return details.unique_devices > 0 && details;
    });
    expect(first).toMatchObject({
      unique_devices: 20_000,
      matched_devices: 10_000,
      file: [{ status: 2 }],
    });
  });

  test("do not wait for another partner's jobs", async () => {
    const acme = await started();
    const bravo = await started();
    const lane = await acme.partner.held();
    expect(await bravo.ingest.loadedFile(rows(1, 5, ''))).toMatchObject({ status: 2 });
    expect(await acme.partner.log(lane.importLogId)).toMatchObject({ status: 1 });
    lane.release();
  });
});
