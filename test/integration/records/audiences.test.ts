import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendToAudience } from '../../../src/actions/append-to-audience.ts';
import { clearAudience } from '../../../src/actions/clear-audience.ts';
import { createAudience } from '../../../src/actions/create-audience.ts';
import { enterAudienceFiles } from '../../../src/actions/enter-audience-files.ts';
import { failAudienceLoad } from '../../../src/actions/fail-audience-load.ts';
import type { ImportProblem } from '../../../src/domain/import-problems.ts';
import type { LoadedFile } from '../../../src/records/audiences/audience-files.ts';
import type { AudienceLoad } from '../../../src/records/audiences/audience-loads.ts';
import type { AudienceScope, LoaderScope } from '../../../src/records/audiences/audience-scope.ts';
import { type Claim, ClaimLost } from '../../../src/records/queue/jobs.ts';
import type { Records } from '../../../src/records/records.ts';
import type { StagedRun } from '../../../src/records/warehouse/manifest.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let acme: LoaderScope;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  const { partnerId } = await records.partners.create('acme');
  acme = { partnerId, customerId: null };
});
afterEach(() => fresh[Symbol.asyncDispose]());

const problem: ImportProblem = {
  code: 'worker_lost',
  message: 'It was lost.',
  file: null,
  line: null,
  column: null,
  value: null,
  count: 1,
};

async function create(scope = acme): Promise<{ audienceId: number; segmentId: number }> {
  return createAudience(records, scope, 'Tea drinkers', 'partner-1/tea/');
}

/** Claims the head of the lane. */
async function claimed(): Promise<{ claim: Claim; load: AudienceLoad }> {
  const claim = (await records.jobs.claim(60))!;
  return { claim, load: await records.audienceLoads.request(claim.jobId) };
}

function file(s3Path: string, members: Partial<LoadedFile> = {}): LoadedFile {
  return { s3Path, etag: `etag of ${s3Path}`, outcome: 'done', rows: 10, problems: [], ...members };
}

let lastFile = 0;

/** Commits files with that many devices, in one run. */
async function commit(
  { claim, load }: { claim: Claim; load: AudienceLoad },
  files: readonly LoadedFile[],
  devices = 10,
): Promise<void> {
  const add = [await stagedRun(load.segmentId, devices)];
  await records.inTransaction(async (tx) => {
    await tx.audienceLoads.lockAudienceAndClaim(claim, load);
    await tx.manifest.apply({ add, drop: [] });
    await tx.audienceFiles.end(load.audienceId, files);
    const rows = files.reduce((sum, ended) => sum + ended.rows, 0);
    const ended = { audienceId: load.audienceId, jobId: claim.jobId };
    await tx.audiences.addUploaded(ended, rows, { matchedDevices: 3, universeVersion: 0 });
  });
}

async function stagedRun(segmentId: number, devices: number): Promise<StagedRun> {
  const name = `${++lastFile}.parquet`;
  await records.runFiles.register({ file: name, jobId: null, attempt: null });
  return { segmentId, file: name, firstRowGroup: 0, rowGroups: 1, devices, bytes: 16 * devices };
}

async function shown(audienceId: number) {
  return (await records.audiences.details(acme, audienceId))!;
}

describe('an audience', () => {
  it('is pending when created, running while its job runs, and ends with it', async () => {
    const { audienceId, segmentId } = await create();
    const created = await shown(audienceId);
    expect(created).toMatchObject({
      audienceId,
      segmentId,
      name: 'Tea drinkers',
      state: 'pending',
      uploadedDevices: 0,
      uniqueDevices: 0,
      matchedDevices: 0,
      files: [],
    });
    const running = await claimed();
    await enterAudienceFiles(records, running.claim, running.load, ['b', 'a']);
    await records.audienceFiles.begin(running.load.audienceId, ['b']);
    expect(await shown(audienceId)).toMatchObject({
      state: 'running',
      files: [
        { s3Path: 'b', state: 'running', rowsUploaded: 0 },
        { s3Path: 'a', state: 'pending' },
      ],
    });
    await commit(running, [file('b', { rows: 12 }), file('a', { rows: 0, outcome: 'failed' })]);
    expect(await shown(audienceId)).toMatchObject({
      state: 'running',
      uploadedDevices: 12,
      uniqueDevices: 10,
      matchedDevices: 3,
      files: [
        { s3Path: 'b', state: 'done', rowsUploaded: 12 },
        { s3Path: 'a', state: 'failed', rowsUploaded: 0 },
      ],
    });
    await records.jobs.settle(running.claim, 'done');
    const ended = await shown(audienceId);
    expect(ended.state).toBe('failed');
    expect(ended.updatedAt.getTime()).toBeGreaterThanOrEqual(created.updatedAt.getTime());
    expect(ended.files[0]!.updatedAt).toBeInstanceOf(Date);
  });

  it('is running while one of its loads runs, and pending while another waits', async () => {
    const { audienceId } = await create();
    await appendToAudience(records, acme, audienceId, 'partner-1/more');
    const first = await claimed();
    expect((await shown(audienceId)).state).toBe('running');
    await records.jobs.settle(first.claim, 'failed');
    expect((await shown(audienceId)).state).toBe('pending');
    const second = await claimed();
    expect(second.load).toMatchObject({ audienceId, path: 'partner-1/more', generation: 0 });
    await records.jobs.settle(second.claim, 'done');
    // Only the latest load counts, because no file of the first one is left.
    expect((await shown(audienceId)).state).toBe('done');
  });

  it('shows files as pending if the attempt that began them lost its claim', async () => {
    const { audienceId } = await create();
    const { claim, load } = await claimed();
    await enterAudienceFiles(records, claim, load, ['a']);
    await records.audienceFiles.begin(load.audienceId, ['a']);
    await records.jobs.release(claim, 0);
    expect(await shown(audienceId)).toMatchObject({
      state: 'pending',
      files: [{ state: 'pending' }],
    });
    await claimed();
    expect(await shown(audienceId)).toMatchObject({
      state: 'running',
      files: [{ state: 'pending' }],
    });
  });

  it('fails with its job: unfinished files fail, finished files keep their state', async () => {
    const { audienceId } = await create();
    const running = await claimed();
    await enterAudienceFiles(records, running.claim, running.load, ['a', 'b']);
    await commit(running, [file('a')]);
    await records.inTransaction(async (tx) => {
      await tx.jobs.settle(running.claim, 'failed');
      await failAudienceLoad(tx, running.claim.jobId, problem);
    });
    expect(await shown(audienceId)).toMatchObject({
      state: 'failed',
      files: [{ state: 'done' }, { state: 'failed' }],
    });
  });

  it('belongs to a customer, or only to its partner', async () => {
    const rows = await fresh.db
      .insertInto('customer')
      .values([{ name: 'one' }, { name: 'other' }])
      .returning('customer_id')
      .execute();
    const [one, other] = rows.map(({ customer_id }) => ({ ...acme, customerId: customer_id }));
    const ofOne = await create(one);
    const ofNobody = await create();
    const seen = async (scope: AudienceScope) =>
      (await records.audiences.list(scope, { after: null, limit: 1_000 })).map((a) => a.audienceId);
    expect(await seen(acme)).toEqual([ofOne.audienceId, ofNobody.audienceId]);
    expect(await seen(one!)).toEqual([ofOne.audienceId]);
    expect(await seen(other!)).toEqual([]);
    expect(await records.audiences.find(other!, ofOne.audienceId)).toBeUndefined();
    expect(await appendToAudience(records, other!, ofOne.audienceId, 'partner-1/x')).toBe(false);
    expect(await clearAudience(records, other!, ofOne.audienceId)).toBe(false);
    const bravo = await records.partners.create('bravo');
    const foreign = { partnerId: bravo.partnerId, customerId: one!.customerId };
    expect(await records.audiences.details(foreign, ofOne.audienceId)).toBeUndefined();
  });

  it('is visible to its customer, whichever partner loads it', async () => {
    const { customerId } = await records.customers.create('a shop');
    const { customerId: otherId } = await records.customers.create('another');
    const bravo = await records.partners.create('bravo');
    const ofAcme = await create({ ...acme, customerId });
    const ofBravo = await create({ partnerId: bravo.partnerId, customerId });
    await create();
    const seen = await records.audiences.list(
      { partnerId: null, customerId },
      { after: null, limit: 1_000 },
    );
    expect(seen.map((a) => a.audienceId)).toEqual([ofAcme.audienceId, ofBravo.audienceId]);
    const other = { partnerId: null, customerId: otherId };
    expect(await records.audiences.find(other, ofAcme.audienceId)).toBeUndefined();
  });

  it('is listed by id, a page at a time', async () => {
    const made = [];
    for (let n = 0; n < 5; n++) made.push((await create()).audienceId);
    const page = async (after: number, limit: number) =>
      (await records.audiences.list(acme, { after, limit })).map((a) => a.audienceId);
    expect(await page(0, 2)).toEqual(made.slice(0, 2));
    expect(await page(made[1]!, 2)).toEqual(made.slice(2, 4));
    expect(await page(made[3]!, 2)).toEqual(made.slice(4));
  });
});

describe('files', () => {
  it('count as loaded by path and ETag, unless they failed since', async () => {
    const { audienceId } = await create();
    const first = await claimed();
    await enterAudienceFiles(records, first.claim, first.load, ['a', 'b']);
    await commit(first, [file('a'), file('b', { outcome: 'failed', rows: 0 })]);
    await records.jobs.settle(first.claim, 'done');
    expect(await records.audienceFiles.loaded(first.load.audienceId, ['a', 'b', 'c'])).toEqual(
      new Map([['a', 'etag of a']]),
    );

    await appendToAudience(records, acme, audienceId, 'partner-1/tea/');
    const second = await claimed();
    await enterAudienceFiles(records, second.claim, second.load, ['b', 'a']);
    await commit(second, [file('b', { rows: 4 }), file('a', { outcome: 'failed', etag: 'new' })]);
    await records.jobs.settle(second.claim, 'done');
    // Entries keep their order, and a file keeps the rows of its last successful load.
    expect((await shown(audienceId)).files).toMatchObject([
      { s3Path: 'a', state: 'failed', rowsUploaded: 10 },
      { s3Path: 'b', state: 'done', rowsUploaded: 4 },
    ]);
    expect(await records.audienceFiles.loaded(second.load.audienceId, ['a', 'b'])).toEqual(
      new Map([['b', 'etag of b']]),
    );
  });

  it('return to their state before the job if a later attempt does not find them', async () => {
    const { audienceId } = await create();
    const first = await claimed();
    await enterAudienceFiles(records, first.claim, first.load, ['old', 'bad']);
    await commit(first, [file('old'), file('bad', { outcome: 'failed', rows: 0 })]);
    await records.jobs.settle(first.claim, 'done');

    await appendToAudience(records, acme, audienceId, 'partner-1/tea/');
    const second = await claimed();
    await enterAudienceFiles(records, second.claim, second.load, ['old', 'bad', 'new', 'stays']);
    await records.jobs.release(second.claim, 0);
    const third = await claimed();
    await enterAudienceFiles(records, third.claim, third.load, ['stays']);
    expect((await shown(audienceId)).files).toMatchObject([
      { s3Path: 'old', state: 'done', rowsUploaded: 10 },
      { s3Path: 'bad', state: 'failed', rowsUploaded: 0 },
      { s3Path: 'stays', state: 'pending' },
    ]);
  });
});

describe('rejected rows', () => {
  it('are pruned after their audience was cleared', async () => {
    const { audienceId } = await create();
    const { claim, load } = await claimed();
    await enterAudienceFiles(records, claim, load, ['a']);
    const reject = { line: 1, code: 'malformed_id', original: Buffer.from('x,y') } as const;
    await records.rejects.add(claim, 0, [reject]);
    await records.jobs.settle(claim, 'done');
    expect(await records.rejects.prune(30)).toBe(0);
    await clearAudience(records, acme, audienceId);
    expect(await Array.fromAsync(records.audienceRejects.read(audienceId))).toEqual([]);
    expect(await records.rejects.prune(30)).toBe(1);
  });
});

describe('a clear', () => {
  it('removes everything at once, and running loads cannot commit', async () => {
    const { audienceId, segmentId } = await create();
    await appendToAudience(records, acme, audienceId, 'partner-1/more');
    const running = await claimed();
    await enterAudienceFiles(records, running.claim, running.load, ['a', 'b']);
    await commit(running, [file('a')]);
    const [labelSegment] = await records.audienceLabels.reserveSegments(1);
    const label = { label: 'a\0b', segmentId: labelSegment! };
    await records.audienceLabels.add(audienceId, [label]);
    expect(await records.audienceLabels.of(audienceId)).toEqual([label]);

    expect(await clearAudience(records, acme, audienceId)).toBe(true);
    expect(await shown(audienceId)).toMatchObject({
      state: 'done',
      uploadedDevices: 0,
      uniqueDevices: 0,
      matchedDevices: 0,
      files: [],
    });
    expect(await records.manifest.runsOf([segmentId])).toEqual([]);
    expect(await records.audienceLabels.of(audienceId)).toEqual([]);
    expect(await records.jobs.claim(60)).toBeUndefined();
    expect(await records.jobs.heartbeat(running.claim, 60)).toBe(false);
    await expect(commit(running, [file('b')])).rejects.toBeInstanceOf(ClaimLost);
    expect((await shown(audienceId)).uniqueDevices).toBe(0);
  });

  it('does not affect files appended after it', async () => {
    const { audienceId } = await create();
    await clearAudience(records, acme, audienceId);
    await appendToAudience(records, acme, audienceId, 'partner-1/after');
    expect((await shown(audienceId)).state).toBe('pending');
    const { claim, load } = await claimed();
    expect(load).toMatchObject({ generation: 1, path: 'partner-1/after' });
    await enterAudienceFiles(records, claim, load, ['after']);
    await commit({ claim, load }, [file('after')], 7);
    await records.jobs.settle(claim, 'done');
    expect(await shown(audienceId)).toMatchObject({ state: 'done', uniqueDevices: 7 });
  });

  it('does not deadlock with commits, appends and other clears', async () => {
    const { audienceId } = await create();
    const running = await claimed();
    await enterAudienceFiles(records, running.claim, running.load, ['a']);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => commit(running, [file('a')])),
      ...Array.from({ length: 5 }, () => clearAudience(records, acme, audienceId)),
      ...Array.from({ length: 5 }, (_, n) => appendToAudience(records, acme, audienceId, `p/${n}`)),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ClaimLost);
    }
    await clearAudience(records, acme, audienceId);
    expect(await shown(audienceId)).toMatchObject({ state: 'done', uniqueDevices: 0, files: [] });
    expect(await records.jobs.claim(60)).toBeUndefined();
  });

  it('also removes runs that were being rewritten when it began', async () => {
    const { audienceId, segmentId } = await create();
    const running = await claimed();
    await enterAudienceFiles(records, running.claim, running.load, ['a']);
    await commit(running, [file('a')]);
    const rewritten = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const add = [await stagedRun(segmentId, 10)];
    const rewriting = records.inTransaction(async (tx) => {
      await tx.manifest.rewrite({ add, drop: await tx.manifest.runsOf([segmentId]) });
      rewritten.resolve();
      await mayEnd.promise;
    });
    await rewritten.promise;
    const clearing = clearAudience(records, acme, audienceId);
    await new Promise((resolve) => setTimeout(resolve, 100));
    mayEnd.resolve();
    await Promise.all([rewriting, clearing]);
    expect(await records.manifest.runsOf([segmentId])).toEqual([]);
  });
});
