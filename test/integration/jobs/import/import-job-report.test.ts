import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TributaryError } from '../../../../src/domain/errors.ts';
import { createImportReport } from '../../../../src/jobs/import/import-report.ts';
import { type ObjectStore, VersionGone } from '../../../../src/objects/port.ts';
import type { Records } from '../../../../src/records/records.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';
import { patience } from '../../../support/lanes.ts';

let imports: Imports;
let acme: ImportingPartner;
let tea: number;

beforeEach(async () => {
  imports = await freshImports();
  acme = await imports.partner();
  tea = await acme.attribute();
});
afterEach(() => imports[Symbol.asyncDispose]());

function filesOf(importLogId: number) {
  return imports.records.importFiles.list(importLogId);
}

async function rejectsOf(importLogId: number) {
  return (await Array.fromAsync(imports.records.rejects.read(importLogId))).flat();
}

describe('an import that has ended', () => {
  it('lists its files with their rows and rejected rows', async () => {
    await acme.put('day/1', `${rows(0, 40, tea)}nobody,${tea}\n`);
    await acme.put('day/2', rows(0, 30, tea));
    const { importLogId } = await acme.import('day/');
    expect(await filesOf(importLogId)).toMatchObject([
      { s3Path: `${acme.prefix}day/1`, state: 'done', totalRows: 41, rejectedRows: 1 },
      { s3Path: `${acme.prefix}day/2`, state: 'done', totalRows: 30, rejectedRows: 0 },
    ]);
  });

  it('lists, if it failed, the failed file, those before it and those never read', async () => {
    await acme.put('day/1', rows(0, 10, tea));
    await acme.put('day/2', `${rows(10, 15, tea)}surplus,${tea},1\n`);
    await acme.put('day/3', rows(20, 30, tea));
    const { importLogId } = await acme.import('day/');
    expect(await filesOf(importLogId)).toMatchObject([
      { s3Path: `${acme.prefix}day/1`, state: 'done', totalRows: 10 },
      { s3Path: `${acme.prefix}day/2`, state: 'failed', totalRows: 5 },
      { s3Path: `${acme.prefix}day/3`, state: 'pending', totalRows: 0 },
    ]);
  });

  it('reports nothing of files after the failed one, although they were read before it', async () => {
    const contents = [rows(0, 10, tea), `${rows(10, 15, tea)}surplus,${tea},1\n`];
    await acme.put('day/1', contents[0]!);
    await acme.put('day/2', contents[1]!);
    await acme.put('day/3', `nobody,${tea}\n${rows(20, 60, tea)}`);
    await acme.put('day/4', rows(0, 10, tea));
    let isClosed = false;
    const lastWasRead = Promise.withResolvers<void>();
    const { objects } = imports;
    const late: ObjectStore = {
      ...objects,
      async *open(version, offset) {
        if (version.key.endsWith('1')) await lastWasRead.promise;
        yield* objects.open(version, offset);
        if (version.key.endsWith('3')) lastWasRead.resolve();
        if (!version.key.endsWith('4')) return;
        // The last file never ends.
        try {
          for (;;) {
            await sleep(20);
            yield Buffer.from(rows(0, 1, tea));
          }
        } finally {
          isClosed = true;
        }
      },
    };
    const { importLogId, errors } = await acme.import('day/', {}, { objects: late });
    expect(errors).toMatchObject([{ file: `${acme.prefix}day/2` }]);
    expect(await filesOf(importLogId)).toMatchObject([
      { state: 'done', totalRows: 10 },
      { state: 'failed', totalRows: 5 },
      { state: 'pending', totalRows: 0, rejectedRows: 0 },
      { state: 'pending', totalRows: 0, rejectedRows: 0 },
    ]);
    await expect.poll(() => isClosed, patience).toBe(true);
    await expect.poll(() => imports.intake.aheadBytes(), patience).toBe(0);
    expect(await rejectsOf(importLogId)).toEqual([]);
    const progress = await imports.records.jobProgress.of(acme.partnerId, importLogId);
    expect(progress).toMatchObject({
      bytesRead: Buffer.byteLength(contents.join('')),
      rowsRead: 15,
    });
  });

  it('lists no files if none were found', async () => {
    const { importLogId } = await acme.import('day/');
    expect(await filesOf(importLogId)).toEqual([]);
  });

  it('has read all bytes and all rows', async () => {
    const contents = [`${rows(0, 40, tea)}nobody,${tea}\n`, rows(0, 30, tea)];
    await acme.put('day/1', contents[0]!);
    await acme.put('day/2', contents[1]!);
    const { importLogId, updatedAt } = await acme.import('day/');
    const bytes = Buffer.byteLength(contents.join(''));
    const progress = await imports.records.jobProgress.of(acme.partnerId, importLogId);
    expect(progress).toMatchObject({
      bytesRead: bytes,
      bytesTotal: bytes,
      rowsRead: 71,
      updatedAt,
    });
  });

  it('keeps its rejected rows byte for byte', async () => {
    const odd = Buffer.concat([Buffer.from(`=1+1;"€",${tea}`), Buffer.from(`\r\n`)]);
    await acme.put('day/1', Buffer.concat([Buffer.from(rows(0, 40, tea)), odd]));
    const long = `${'x'.repeat(3_000)},${tea}`;
    await acme.put('day/2', `\n${long}\n${rows(0, 40, tea)}${'0'.repeat(32)},${tea}\n`);
    const { importLogId, state } = await acme.import('day/');
    expect(state).toBe('done');
    expect(await rejectsOf(importLogId)).toEqual([
      {
        s3Path: `${acme.prefix}day/1`,
        line: 41,
        code: 'malformed_id',
        original: odd.subarray(0, -2),
      },
      {
        s3Path: `${acme.prefix}day/2`,
        line: 2,
        code: 'malformed_id',
        original: Buffer.from(long.slice(0, 1024)),
      },
      {
        s3Path: `${acme.prefix}day/2`,
        line: 43,
        code: 'hashed_id',
        original: Buffer.from(`${'0'.repeat(32)},${tea}`),
      },
    ]);
  });

  it('keeps at most 10,000 rejected rows per file, also if they failed the file', async () => {
    const rejected = `nobody,${tea}\n`.repeat(10_100);
    await acme.put('day/1', rows(0, 10, tea) + rejected);
    const { importLogId, state } = await acme.import('day/');
    expect(state).toBe('failed');
    const kept = await rejectsOf(importLogId);
    expect(kept).toHaveLength(10_000);
    expect(kept.at(-1)).toMatchObject({ line: 10_010 });
    expect(await filesOf(importLogId)).toMatchObject([
      { state: 'failed', totalRows: 10_110, rejectedRows: 10_100 },
    ]);
    expect((await acme.log(importLogId))?.errors).toMatchObject([
      { code: 'too_many_rejects' },
      { code: 'malformed_id', count: 10_100 },
      { code: 'rejects_left_out', count: 100, file: null },
    ]);
  });

  it('keeps only so many bytes of rejected rows, and reports how many rows it left out', async () => {
    // Each takes 300 bytes: 200, and 100 besides.
    const long = (count: number) => `${'x'.repeat(200 - `,${tea}`.length)},${tea}\n`.repeat(count);
    await acme.put('day/1', rows(0, 40, tea) + long(2));
    await acme.put('day/2', rows(0, 80, tea) + long(3));
    await acme.put('day/3', rows(0, 40, tea) + long(1));
    const rejectAllowance = { bytesPerJob: 1_000, bytesPerPartner: 10_000 };
    const { importLogId, state } = await acme.import('day/', {}, { rejectAllowance });
    expect(state).toBe('done');
    expect(await rejectsOf(importLogId)).toMatchObject([
      { s3Path: `${acme.prefix}day/1`, line: 41 },
      { s3Path: `${acme.prefix}day/1`, line: 42 },
      { s3Path: `${acme.prefix}day/2`, line: 81 },
    ]);
    expect((await acme.log(importLogId))?.errors?.at(-1)).toMatchObject({
      code: 'rejects_left_out',
      count: 3,
    });
    expect(await filesOf(importLogId)).toMatchObject([
      { rejectedRows: 2 },
      { rejectedRows: 3 },
      { rejectedRows: 1 },
    ]);
  });

  it('reports only the new version of a file that was replaced while it was read', async () => {
    await acme.put('day/1', `${rows(0, 40, tea)}old,${tea}\n`);
    await acme.put('day/2', rows(0, 30, tea));
    let opened = 0;
    const objects: ObjectStore = {
      ...imports.objects,
      async *open(version, offset) {
        if (++opened === 2) {
          await acme.put('day/1', `new,${tea}\n${rows(0, 20, tea)}`);
          await acme.put('day/2', rows(0, 25, tea));
        }
        yield* imports.objects.open(version, offset);
      },
    };
    const { importLogId } = await acme.import('day/', {}, { objects });
    expect(await rejectsOf(importLogId)).toMatchObject([
      { line: 1, original: Buffer.from(`new,${tea}`) },
    ]);
    expect(await filesOf(importLogId)).toMatchObject([
      { state: 'done', totalRows: 21, rejectedRows: 1 },
      { state: 'done', totalRows: 25, rejectedRows: 0 },
    ]);
    const progress = await imports.records.jobProgress.of(acme.partnerId, importLogId);
    expect(progress).toMatchObject({ rowsRead: 46 });
    expect(progress?.bytesRead).toBe(progress?.bytesTotal);
  });
});

it('an import whose files are deleted before it reads them again lists none', async () => {
  await acme.put('day/1', rows(0, 40, tea));
  let listed = 0;
  const objects: ObjectStore = {
    ...imports.objects,
    async *find(path) {
      if (++listed === 1) yield* imports.objects.find(path);
    },
    // biome-ignore lint/correctness/useYield: it throws before the first chunk.
    async *open(version) {
      throw new VersionGone(version);
    },
  };
  const { importLogId, errors } = await acme.import('day/', {}, { objects });
  expect(errors).toMatchObject([{ code: 'no_files' }]);
  expect(await filesOf(importLogId)).toEqual([]);
});

describe('an import that is running', () => {
  it('shows its files, its progress and its rejected rows', async () => {
    const first = `nobody,${tea}\n${rows(0, 40, tea)}`;
    const second = rows(40, 60, tea);
    await acme.put('day/1', first);
    await acme.put('day/2', second);
    const { promise: goingOn, resolve: goOn } = Promise.withResolvers<void>();
    const objects: ObjectStore = {
      ...imports.objects,
      async *open(version, offset) {
        for await (const chunk of imports.objects.open(version, offset)) {
          if (version.key.endsWith('2')) {
            yield chunk.subarray(0, 100);
            await goingOn;
            yield chunk.subarray(100);
          } else yield chunk;
        }
      },
    };
    const importLogId = await acme.queue('day/');
    const ended = imports.run(await imports.claim(), { objects });
    const files = [
      { state: 'done', totalRows: 41, rejectedRows: 1 },
      { state: 'running', totalRows: 0, rejectedRows: 0 },
    ];
    await expect.poll(() => filesOf(importLogId), patience).toMatchObject(files);
    await expect
      .poll(() => imports.records.jobProgress.of(acme.partnerId, importLogId), patience)
      .toMatchObject({
        state: 'running',
        bytesRead: first.length + 100,
        bytesTotal: first.length + second.length,
        rowsRead: 41,
        queuePosition: 0,
      });
    expect(await rejectsOf(importLogId)).toMatchObject([{ line: 1, code: 'malformed_id' }]);
    goOn();
    await ended;
    expect(await filesOf(importLogId)).toMatchObject([
      files[0]!,
      { state: 'done', totalRows: 20, rejectedRows: 0 },
    ]);
  });
});

describe('the report of an import', () => {
  const unavailable = new TributaryError('unavailable', 'The database is unavailable');

  /** The real records, whose transactions fail while `isUnavailable()`. */
  function failing(isUnavailable: () => boolean): Records {
    return {
      ...imports.records,
      inTransaction: (work) =>
        isUnavailable() ? Promise.reject(unavailable) : imports.records.inTransaction(work),
    };
  }

  it('continues after failed writes and writes everything at the end', async () => {
    const importLogId = await acme.queue('day/');
    const claim = await imports.claim();
    let attempts = 0;
    let isUnavailable = false;
    const records = failing(() => {
      attempts++;
      return isUnavailable;
    });
    async function moreAttempts(): Promise<void> {
      const before = attempts;
      await expect.poll(() => attempts, patience).toBeGreaterThan(before + 1);
    }
    await using report = createImportReport(records, claim, 5);
    const found = [
      { key: 'day/1', etag: '1', size: 10 },
      { key: 'day/2', etag: '2', size: 20 },
    ];
    await report.begin(found, ({ key }) => key);
    isUnavailable = true;
    // Once another write is tried, the earlier one has ended.
    await moreAttempts();
    const file = report.beginFile(0);
    file.countBytes(10);
    file.countRows(3);
    file.countReject();
    await moreAttempts();
    expect(await filesOf(importLogId)).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);

    isUnavailable = false;
    await expect
      .poll(() => filesOf(importLogId), patience)
      .toMatchObject([{ state: 'running', totalRows: 4, rejectedRows: 1 }, { state: 'pending' }]);
    isUnavailable = true;
    file.end({ outcome: 'read', totalRows: 5, rejectedRows: 2 });
    report.beginFile(1).countBytes(7);
    await report.stop();
    await imports.records.inTransaction(report.write);
    expect(await filesOf(importLogId)).toMatchObject([
      { state: 'done', totalRows: 5, rejectedRows: 2 },
      { state: 'running', totalRows: 0, rejectedRows: 0 },
    ]);
    expect(await imports.records.jobProgress.of(acme.partnerId, importLogId)).toMatchObject({
      bytesRead: 17,
      bytesTotal: 30,
      rowsRead: 5,
    });
  });

  it('writes nothing after it is stopped', async () => {
    await acme.queue('day/');
    const claim = await imports.claim();
    let writes = 0;
    const records = failing(() => {
      writes++;
      return false;
    });
    const report = createImportReport(records, claim, 1);
    await expect.poll(() => writes, patience).toBeGreaterThan(2);
    await report.stop();
    const stoppedAt = writes;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(writes).toBe(stoppedAt);
  });
});

it('an import whose rejected rows cannot be written is retried and does not fail', async () => {
  await acme.put('devices', `${rows(0, 40, tea)}nobody,${tea}\n`);
  const unavailable = new TributaryError('unavailable', 'The database is unavailable');
  const records: Records = {
    ...imports.records,
    rejects: { ...imports.records.rejects, add: () => Promise.reject(unavailable) },
  };
  const importLogId = await acme.queue('devices');
  const claim = await imports.claim();
  await expect(imports.run(claim, { records })).rejects.toBe(unavailable);
  expect(await acme.log(importLogId)).toMatchObject({ state: 'running', errors: null });
  expect(await acme.counts()).toEqual([0]);
});
