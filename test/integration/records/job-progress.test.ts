import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueImport } from '../../../src/actions/queue-import.ts';
import { ClaimLost } from '../../../src/records/queue/jobs.ts';
import type { Records } from '../../../src/records/records.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

let fresh: FreshRecords;
let records: Records;
let acme: number;

beforeEach(async () => {
  fresh = await freshRecords();
  ({ records } = fresh);
  acme = await partner();
});
afterEach(() => fresh[Symbol.asyncDispose]());

async function partner(): Promise<number> {
  const { partnerId } = await records.partners.create('acme');
  return partnerId;
}

function queue(partnerId: number): Promise<number> {
  return queueImport(records, partnerId, { filePath: 'a.csv', keyType: 0, pathType: 0 });
}

async function claimed() {
  const claim = await records.jobs.claim(60);
  if (!claim) throw new Error('no job to claim');
  return claim;
}

async function placeOf(jobId: number) {
  const { state, queuePosition, waitingFor } = (await records.jobProgress.of(acme, jobId))!;
  return { state, queuePosition, waitingFor };
}

const half = { bytesRead: 2 ** 40, bytesTotal: 2 ** 41, rowsRead: 2 ** 35 };

describe('the progress of a job', () => {
  it('has its position among the unfinished jobs of its lane', async () => {
    await queue(await partner());
    const jobs = [await queue(acme), await queue(acme), await queue(acme)];
    const [first, second, third] = jobs as [number, number, number];
    const pending = 'pending';
    expect(await Promise.all(jobs.map(placeOf))).toEqual([
      { state: pending, queuePosition: 1, waitingFor: null },
      { state: pending, queuePosition: 2, waitingFor: first },
      { state: pending, queuePosition: 3, waitingFor: second },
    ]);
    await claimed();
    const claim = await claimed();
    expect(await Promise.all(jobs.map(placeOf))).toEqual([
      { state: 'running', queuePosition: 0, waitingFor: null },
      { state: pending, queuePosition: 1, waitingFor: first },
      { state: pending, queuePosition: 2, waitingFor: second },
    ]);
    await records.jobs.settle(claim, 'failed');
    expect(await Promise.all(jobs.map(placeOf))).toEqual([
      { state: 'failed', queuePosition: null, waitingFor: null },
      { state: pending, queuePosition: 1, waitingFor: null },
      { state: pending, queuePosition: 2, waitingFor: second },
    ]);
    expect(third).toBeGreaterThan(second);
  });

  it('is zero before the job has run', async () => {
    const jobId = await queue(acme);
    expect(await records.jobProgress.of(acme, jobId)).toEqual({
      state: 'pending',
      bytesRead: 0,
      bytesTotal: 0,
      rowsRead: 0,
      startedAt: null,
      updatedAt: expect.any(Date),
      queuePosition: 1,
      waitingFor: null,
    });
  });

  it('is what its attempt saved last, and stays the same when the job ends', async () => {
    const jobId = await queue(acme);
    const claim = await claimed();
    await records.jobProgress.save(claim, { bytesRead: 1, bytesTotal: 2 ** 41, rowsRead: 0 });
    await records.jobProgress.save(claim, half);
    const running = await records.jobProgress.of(acme, jobId);
    expect(running).toMatchObject({ ...half, state: 'running', startedAt: expect.any(Date) });
    expect(running!.updatedAt.getTime()).toBeGreaterThanOrEqual(running!.startedAt!.getTime());
    await records.jobs.settle(claim, 'done');
    const ended = await records.jobProgress.of(acme, jobId);
    const log = await records.importLogs.find(acme, jobId);
    expect(ended).toMatchObject({ ...half, state: 'done', startedAt: running!.startedAt });
    expect(ended!.updatedAt).toEqual(log!.updatedAt);
  });

  it('restarts with each attempt, and an attempt that lost its claim cannot save it', async () => {
    const jobId = await queue(acme);
    const lost = await claimed();
    await records.jobProgress.save(lost, half);
    await records.jobs.release(lost, 0);
    const nothing = { bytesRead: 0, bytesTotal: 0, rowsRead: 0 };
    expect(await records.jobProgress.of(acme, jobId)).toMatchObject({
      ...nothing,
      state: 'pending',
      startedAt: null,
      queuePosition: 1,
    });
    const claim = await claimed();
    await expect(records.jobProgress.save(lost, half)).rejects.toThrow(ClaimLost);
    expect(await records.jobProgress.of(acme, jobId)).toMatchObject(nothing);
    await records.jobProgress.save(claim, { ...half, rowsRead: 1 });
    expect(await records.jobProgress.of(acme, jobId)).toMatchObject({ ...half, rowsRead: 1 });
  });

  it('is not visible to other partners', async () => {
    const jobId = await queue(acme);
    expect(await records.jobProgress.of(await partner(), jobId)).toBeUndefined();
    expect(await records.jobProgress.of(acme, jobId + 1)).toBeUndefined();
  });
});
