import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepStoredRows } from '../../../../src/jobs/parts/sweep-stored-rows.ts';
import { type ObjectStore, VersionGone } from '../../../../src/objects/port.ts';
import { listenForJobs } from '../../../../src/records/queue/job-notices.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import { deviceNumber, deviceRows as rows } from '../../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';
import { startJobWorker } from '../../../support/job-worker.ts';
import { patience } from '../../../support/lanes.ts';
import { partsHelper, runShared, sharing, sharingOwner } from '../../../support/shared-jobs.ts';

let imports: Imports;
let acme: ImportingPartner;

beforeAll(async () => {
  imports = await freshImports();
});
afterAll(() => imports[Symbol.asyncDispose]());
beforeEach(async () => {
  acme = await newPartner();
});

async function newPartner(): Promise<ImportingPartner> {
  const partner = await imports.partner();
  await partner.attribute('tea');
  await partner.attribute('grün');
  return partner;
}

const byKey = { keyType: 1 } as const;

/** Everything that an import leaves behind, without names that differ between partners. */
async function outcomeOf(partner: ImportingPartner, importLogId: number) {
  const log = await partner.log(importLogId);
  const files = await imports.records.importFiles.list(importLogId);
  const rejects = (await Array.fromAsync(imports.records.rejects.read(importLogId))).flat();
  const progress = await imports.records.jobProgress.of(partner.partnerId, importLogId);
  const outcome = {
    state: log?.state,
    uniqueDevices: log?.uniqueDevices,
    totalRows: log?.totalRows,
    errors: log?.errors,
    files: files.map(({ s3Path, state, totalRows, rejectedRows }) => [
      s3Path,
      state,
      totalRows,
      rejectedRows,
    ]),
    rejects: rejects.map(({ s3Path, line, code, original }) => [
      s3Path,
      line,
      code,
      original.toString(),
    ]),
    // A job that fails may have read more, or less, of the files after the invalid one.
    progress: log?.state === 'done' && [
      progress?.bytesRead,
      progress?.bytesTotal,
      progress?.rowsRead,
    ],
    counts: await partner.counts(),
  };
  return JSON.parse(JSON.stringify(outcome).replaceAll(partner.prefix, ''));
}

/** Imports the same files with one worker and with two. Returns both outcomes. */
async function bothWays(files: Readonly<Record<string, string | Uint8Array>>, mode = {}) {
  const outcomes: unknown[] = [];
  let sharedParts = 0;
  for (const isShared of [false, true]) {
    const partner = await newPartner();
    await partner.put('before.csv', rows(0, 10, 'tea'));
    await partner.import('before.csv', byKey);
    for (const [name, content] of Object.entries(files)) await partner.put(`day/${name}`, content);
    const importLogId = await partner.queue('day/', { ...byKey, ...mode });
    if (isShared) sharedParts = await runShared(imports);
    else await imports.run(await imports.claim());
    outcomes.push(await outcomeOf(partner, importLogId));
  }
  return { alone: outcomes[0], shared: outcomes[1], sharedParts };
}

async function storedObjects(): Promise<unknown[]> {
  return (await Array.fromAsync(imports.objects.uploaded('parts/'))).flat();
}

async function partRows(): Promise<unknown[]> {
  return await imports.db.selectFrom('job_part').selectAll().execute();
}

describe('an import that two workers read', () => {
  it('has the result of one worker: counts, files, problems, rejected rows and progress', async () => {
    const faulty = `nobody,tea\n${deviceNumber(7)},unknown\n\n${deviceNumber(8)},tea|grün\n`;
    const { alone, shared, sharedParts } = await bothWays({
      '1.csv': `id,attribute_ids\n${rows(0, 60, 'tea')}${faulty}`,
      '2.csv': rows(30, 90, 'grün').replaceAll('\n', '\r\n'),
      '3.csv.gz': gzipSync(`${rows(80, 140, 'tea')}${faulty}`),
      '4.csv': `${faulty}${rows(100, 180, 'tea|grün')}nobody,tea`,
      '5.csv': rows(0, 50, 'tea').replaceAll(',tea', ',1,us,0,tea'),
      '6.csv': `${deviceNumber(1)},1,us,1,tea\n${deviceNumber(900)},1,us,1,\n`,
    });
    expect(sharedParts).toBe(3);
    expect(alone).toMatchObject({ state: 'done', totalRows: 322, counts: [160, 141] });
    expect(shared).toEqual(alone);
    expect([await storedObjects(), await partRows()]).toEqual([[], []]);
  });

  it('has it also in mode replace', async () => {
    const files = Object.fromEntries(
      [1, 2, 3, 4].map((n) => [`${n}.csv`, rows(n * 20, n * 20 + 40, 'tea')]),
    );
    const { alone, shared, sharedParts } = await bothWays(files, { mode: 'replace' });
    expect(sharedParts).toBe(2);
    expect(alone).toMatchObject({ counts: [100, 0] });
    expect(shared).toEqual(alone);
  });

  it('has it for the parts of one large file, wherever a part begins', async () => {
    const faulty = `\r\nné,grün\n${deviceNumber(3)},${'nix'.repeat(9)}\r\n`;
    const blocks = Array.from(
      { length: 12 },
      (_, i) => rows(i * 20, i * 20 + 30, 'tea') + rows(i, i + 9, 'grün') + faulty,
    );
    const header = 'id,attribute_ids\r\n';
    for (const pad of [0, 1, 2]) {
      const { alone, shared, sharedParts } = await bothWays({
        '1.csv': header + '\n'.repeat(pad) + blocks.join(''),
      });
      expect(sharedParts).toBeGreaterThan(2);
      expect(alone).toMatchObject({ state: 'done', totalRows: 492 });
      expect(shared).toEqual(alone);
    }
  });

  it('fails like that of one worker, whichever worker found the invalid line', async () => {
    const invalid = `${rows(0, 20, 'tea')}one,two,three\n${rows(20, 30, 'tea')}`;
    for (const bad of [1, 3, 4]) {
      const files = Object.fromEntries(
        [1, 2, 3, 4].map((n) => [`${n}.csv`, n === bad ? invalid : rows(n, n + 30, 'tea')]),
      );
      const { alone, shared } = await bothWays(files);
      expect(alone).toMatchObject({ state: 'failed', errors: [{ line: 21 }], counts: [10, 0] });
      expect(shared).toEqual(alone);
    }
    const large = rows(0, 250, 'tea');
    const { alone, shared } = await bothWays({ '1.csv': `${large}one,two,three\n${large}` });
    expect(alone).toMatchObject({ state: 'failed', errors: [{ line: 251 }] });
    expect(shared).toEqual(alone);
  });

  it('fails if a file has too many rejected rows in all its parts together', async () => {
    const some = `${rows(0, 60, 'tea')}${'nobody,tea\n'.repeat(6)}`;
    const { alone, shared } = await bothWays({ '1.csv': some.repeat(4) });
    expect(alone).toMatchObject({ state: 'failed', errors: [{}, { count: 24 }] });
    expect(shared).toEqual(alone);
  });

  it('is the same on the next try if a file is replaced meanwhile', async () => {
    for (const n of [1, 2, 3, 4]) await acme.put(`day/${n}.csv`, rows(n, n + 20, 'tea'));
    const importLogId = await acme.queue('day/', byKey);
    let isReplaced = false;
    const objects: ObjectStore = {
      ...imports.objects,
      async *open(version, offset) {
        if (!isReplaced && version.key.endsWith('2.csv')) {
          isReplaced = true;
          await acme.put('day/2.csv', rows(500, 510, 'tea'));
          await acme.put('day/4.csv', rows(600, 610, 'tea'));
        }
        yield* imports.objects.open(version, offset);
      },
    };
    expect(await runShared(imports, { objects })).toBe(2);
    expect(await acme.log(importLogId)).toMatchObject({ state: 'done', totalRows: 60 });
    expect(await acme.counts()).toEqual([42, 0]);
    expect([await storedObjects(), await partRows()]).toEqual([[], []]);
  });

  it('takes back the parts of a worker that was lost', async () => {
    for (const n of [1, 2, 3, 4]) await acme.put(`day/${n}.csv`, rows(n * 10, n * 10 + 10, 'tea'));
    const importLogId = await acme.queue('day/', byKey);
    const owner = sharingOwner(imports);
    const running = imports.run(await imports.claim(), owner.parts);
    await owner.waits;
    const lost = await imports.records.jobParts.takeLast(crypto.randomUUID(), 8, {
      leaseSeconds: 1,
      ownJobs: [],
    });
    expect(lost?.parts.map(({ position }) => position)).toEqual([2, 3]);
    owner.begin();
    await running;
    expect(await acme.log(importLogId)).toMatchObject({ state: 'done', uniqueDevices: 40 });
    // It comes back later.
    const stored = { key: 'parts/x', etag: 'e', size: 1 };
    expect(await imports.records.jobParts.finish(lost!, 2, stored)).toBe(false);
    expect(await imports.records.jobParts.renew(lost!, 10)).toBe(false);
  });

  it('reads a part again whose stored rows are gone', async () => {
    for (const n of [1, 2]) await acme.put(`day/${n}.csv`, rows(n * 10, n * 10 + 10, 'tea'));
    const importLogId = await acme.queue('day/', byKey);
    const objects: ObjectStore = {
      ...imports.objects,
      open(version, offset) {
        if (version.key.startsWith('parts/')) throw new VersionGone(version);
        return imports.objects.open(version, offset);
      },
    };
    expect(await runShared(imports, { objects })).toBe(1);
    expect(await acme.log(importLogId)).toMatchObject({ state: 'done', uniqueDevices: 20 });
  });

  it('does not use rows that were read for an attempt that lost its claim', async () => {
    for (const n of [1, 2, 3, 4]) await acme.put(`day/${n}.csv`, rows(n * 10, n * 10 + 10, 'tea'));
    const importLogId = await acme.queue('day/', byKey);
    const claim = await imports.claim();
    const owner = sharingOwner(imports);
    const running = imports.run(claim, owner.parts);
    running.catch(() => {});
    await owner.waits;
    const helping = await imports.records.jobParts.takeLast(crypto.randomUUID(), 1, {
      leaseSeconds: 10,
      ownJobs: [],
    });
    await imports.records.inTransaction(async (tx) => {
      await tx.jobs.expireLease(claim);
      await tx.jobs.reclaimExpired(5);
    });
    const { jobParts } = imports.records;
    expect(await jobParts.renew(helping!, 10)).toBe(false);
    const stored = { key: 'parts/x', etag: 'e', size: 1 };
    expect(await jobParts.finish(helping!, 3, stored)).toBe(false);
    expect(await partsHelper(imports).help()).toBe(false);
    expect(await runShared(imports)).toBe(2);
    owner.begin();
    await expect(running).rejects.toThrow(ClaimLost);
    expect(await acme.log(importLogId)).toMatchObject({ state: 'done', uniqueDevices: 40 });
    expect(await acme.counts()).toEqual([40, 0]);
  });

  it('leaves no rows behind when it is cancelled, and its helper stops', async () => {
    for (const n of [1, 2]) await acme.put(`day/${n}.csv`, rows(n * 10, n * 10 + 10, 'tea'));
    const importLogId = await acme.queue('day/', byKey);
    const owner = sharingOwner(imports);
    const stopping = new AbortController();
    const running = imports.run(await imports.claim(), owner.parts, stopping.signal);
    running.catch(() => {});
    await owner.waits;
    const { promise: isRead, resolve: reportRead } = Promise.withResolvers<void>();
    const endless: ObjectStore = {
      ...imports.objects,
      async *open(version, offset) {
        reportRead();
        yield* imports.objects.open(version, offset);
        await new Promise(() => {});
      },
    };
    const helper = partsHelper(imports, 1);
    const helping = helper.help({ objects: endless });
    await isRead;
    await imports.records.jobs.cancel([importLogId]);
    await helping;
    expect(helper.logged.join()).toContain('parts no longer needed');
    stopping.abort(new Error('cancelled'));
    owner.begin();
    await expect(running).rejects.toThrow('cancelled');
    expect([await storedObjects(), await partRows()]).toEqual([[], []]);
    expect(await acme.counts()).toEqual([0, 0]);
  });

  it('is left to its worker if an attribute was added after it began', async () => {
    for (const n of [1, 2]) await acme.put(`day/${n}.csv`, rows(n * 10, n * 10 + 10, 'new'));
    const importLogId = await acme.queue('day/', byKey);
    const owner = sharingOwner(imports);
    const running = imports.run(await imports.claim(), owner.parts);
    await owner.waits;
    await acme.attribute('new');
    const helper = partsHelper(imports);
    expect(await helper.help()).toBe(true);
    expect(JSON.parse(helper.logged[0]!)).toMatchObject({ parts: 0 });
    owner.begin();
    await running;
    expect(await acme.log(importLogId)).toMatchObject({ state: 'failed', totalRows: 10 });
  });
});

it('rows that were stored for an attempt that has ended are swept', async () => {
  const { objects, records } = imports;
  await acme.put('1.csv', rows(0, 1, 'tea'));
  const jobId = await acme.queue('1.csv', byKey);
  const claim = await imports.claim();
  const put = (key: string) =>
    objects.put(
      key,
      (async function* () {
        yield Buffer.from('rows');
      })(),
    );
  await put(`parts/${jobId}-${claim.attempt}/a`);
  await put(`parts/${jobId}-${claim.attempt - 1}/b`);
  await put('parts/999999-1/c');
  await records.jobParts.publish({ ...claim }, 'keys', [{}]);
  const { signal } = new AbortController();
  const sweep = sweepStoredRows({ records, objects });
  expect(await sweep.run(signal)).toEqual({ objects: 2, parts: 0 });
  await imports.run(claim);
  expect(await sweep.run(signal)).toEqual({ objects: 1, parts: 1 });
});

it('two workers share a job by themselves', async () => {
  for (const n of [1, 2, 3, 4, 5, 6]) {
    await acme.put(`day/${n}.csv`, rows(n * 100, n * 100 + 150, 'tea'));
  }
  const slowly: ObjectStore = {
    ...imports.objects,
    async *open(version, offset) {
      if (version.key.includes('/day/')) await new Promise((resolve) => setTimeout(resolve, 300));
      yield* imports.objects.open(version, offset);
    },
  };
  const options = { instead: { objects: slowly, sharing }, helps: true };
  await using one = startJobWorker(imports, options);
  await using two = startJobWorker(imports, options);
  await expect.poll(() => imports.records.jobParts.haveOtherWorkers(), patience).toBe(true);
  const importLogId = await acme.queue('day/', byKey);
  await expect.poll(async () => (await acme.log(importLogId))?.state, patience).toBe('done');
  expect(await acme.counts()).toEqual([650, 0]);
  const logged = [...one.logged, ...two.logged].map((line) => JSON.parse(line));
  expect(logged).toContainEqual(
    expect.objectContaining({ msg: 'parts read for another worker', job: importLogId, parts: 3 }),
  );
});

it('a worker knows whether there are others', async () => {
  const stopping = new AbortController();
  const listen = () => listenForJobs(imports.database, () => {}, stopping.signal);
  const { haveOtherWorkers } = imports.records.jobParts;
  expect(await haveOtherWorkers()).toBe(false);
  const listening = [listen()];
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await haveOtherWorkers()).toBe(false);
  listening.push(listen());
  await expect.poll(haveOtherWorkers, patience).toBe(true);
  stopping.abort();
  await Promise.all(listening);
});
