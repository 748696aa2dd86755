import { once } from 'node:events';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManifestConflict, TributaryError } from '../../../../src/domain/errors.ts';
import { JobTooLarge } from '../../../../src/jobs/worker/job-handler.ts';
import { type Claim, ClaimLost } from '../../../../src/records/queue/jobs.ts';
import { RunsRemoved } from '../../../../src/warehouse/port.ts';
import { freshLanes, type Lanes, maxLosses, patience } from '../../../support/lanes.ts';
import { startRelay } from '../../../support/relay.ts';

/** A poll interval longer than any test. */
const never = 3_600_000;
const ownName = 'worker';

let lanes: Lanes;
let acme: number;

beforeEach(async () => {
  lanes = await freshLanes();
  acme = await lanes.partner();
});
afterEach(() => lanes[Symbol.asyncDispose]());

async function marksWithoutWaits(): Promise<number[]> {
  await lanes.skipWaits();
  return lanes.marks();
}

/** Work that lasts until `release`, with a promise for its start. */
function heldWork() {
  const began = Promise.withResolvers<Claim>();
  const end = Promise.withResolvers<void>();
  function work(claim: Claim): Promise<void> {
    began.resolve(claim);
    return end.promise;
  }
  return { work, began: began.promise, release: end.resolve };
}

describe('an idle worker', () => {
  it('is woken by a submission, without polling', async () => {
    await using _worker = lanes.startWorker({ pollMs: never, listens: true });
    const first = await lanes.submit(acme);
    await expect.poll(lanes.marks, patience).toEqual([first]);
    const second = await lanes.submit(acme);
    await expect.poll(lanes.marks, patience).toEqual([first, second]);
  });

  it('finds a job by polling when no notice reaches it', async () => {
    await using _worker = lanes.startWorker({ listens: false });
    const first = await lanes.submit(acme);
    await expect.poll(lanes.marks, patience).toEqual([first]);
    const second = await lanes.submit(acme);
    await expect.poll(lanes.marks, patience).toEqual([first, second]);
  });

  it('looks again if a notice arrives during a claim', async () => {
    const { jobs } = lanes.records;
    const submitted: number[] = [];
    async function claim(leaseSeconds: number) {
      const claimed = await jobs.claim(leaseSeconds);
      if (submitted.length === 0) {
        submitted.push(await lanes.submit(acme));
        worker.wake();
      }
      return claimed;
    }
    const records = { ...lanes.records, jobs: { ...jobs, claim } };
    await using worker = lanes.startWorker({ pollMs: never, records });
    await expect.poll(lanes.marks, patience).toHaveLength(1);
    expect(await lanes.marks()).toEqual(submitted);
  });

  it('receives notices again after its connection broke', async () => {
    await using relay = await startRelay(lanes.url);
    await using _worker = lanes.startWorker({ url: relay.url, pollMs: never, listens: true });
    const heard = [await lanes.submit(acme)];
    await expect.poll(lanes.marks, patience).toEqual(heard);
    await relay.cut();
    heard.push(await lanes.submit(acme));
    await relay.mend();
    await expect.poll(lanes.marks, patience).toEqual(heard);
    heard.push(await lanes.submit(acme));
    await expect.poll(lanes.marks, patience).toEqual(heard);
  });
});

describe('a worker that is stopped', () => {
  it('releases its job, which another worker claims at once, without a loss', async () => {
    const jobId = await lanes.submit(acme);
    const { work, began } = heldWork();
    await using worker = lanes.startWorker({ work });
    await began;
    await worker.stop();
    expect(await lanes.job(jobId)).toEqual({ state: 'pending', attempt: 1, losses: 0 });
    await using _other = lanes.startWorker();
    await expect.poll(lanes.marks, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 2, losses: 0 });
  });

  it('releases its job before the work has stopped, which then cannot commit', async () => {
    const jobId = await lanes.submit(acme);
    const { work: beforeSettling, began, release } = heldWork();
    await using worker = lanes.startWorker({ beforeSettling });
    await began;
    const stopped = worker.stop();
    await using _other = lanes.startWorker();
    await expect.poll(() => lanes.job(jobId), patience).toMatchObject({ state: 'done' });
    release();
    await stopped;
    expect(await lanes.marks()).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 2, losses: 0 });
  });

  it('does not wait for an unavailable database and leaves its job to the lease', async () => {
    await using relay = await startRelay(lanes.url);
    const jobId = await lanes.submit(acme);
    const { work, began } = heldWork();
    await using worker = lanes.startWorker({ url: relay.url, work });
    await began;
    await relay.cut();
    await worker.stop();
    expect(await lanes.job(jobId)).toEqual({ state: 'running', attempt: 1, losses: 0 });
  });
});

describe('a worker whose large jobs are all running', () => {
  it('runs a small job beside them, and the next large one after them', async () => {
    const [bravo, charlie, delta] = [
      await lanes.partner(),
      await lanes.partner(),
      await lanes.partner(),
    ];
    const held = heldWork();
    const large = new Set([await lanes.submit(acme), await lanes.submit(bravo)]);
    const [waiting] = [...large].slice(-1);
    await using _worker = lanes.startWorker({
      concurrency: 1,
      smallConcurrency: 1,
      work(claim) {
        if (!large.has(claim.jobId)) return;
        if (claim.mustBeSmall) throw new JobTooLarge();
        return held.work(claim);
      },
    });
    await held.began;
    const small = [await lanes.submit(charlie), await lanes.submit(delta)];
    await expect.poll(lanes.marks, patience).toEqual(small);
    // It was tried as a small job at most once, and then left to a place for large jobs.
    expect(await lanes.job(waiting!)).toMatchObject({ state: 'pending', losses: 0 });
    held.release();
    await expect.poll(lanes.marks, patience).toEqual([...small, ...large]);
    expect(await lanes.job(waiting!)).toEqual({ state: 'done', attempt: 2, losses: 0 });
  });
});

describe('a job', () => {
  it('stays with its worker for longer than a lease', async () => {
    const jobId = await lanes.submit(acme);
    const { work, began, release } = heldWork();
    await using _worker = lanes.startWorker({ work, leaseSeconds: 2 });
    await began;
    await using _other = lanes.startWorker();
    const firstLease = await leaseUntil(jobId);
    await expect.poll(() => leaseUntil(jobId), patience).toBeGreaterThan(firstLease + 2_000);
    release();
    await expect.poll(lanes.marks, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 1, losses: 0 });
  });

  it('is stopped when its claim is lost', async () => {
    const jobId = await lanes.submit(acme);
    const reasons: unknown[] = [];
    const { work, began } = heldWork();
    await using _worker = lanes.startWorker({
      leaseSeconds: 2,
      async work(claim, signal) {
        if (claim.attempt > 1) return;
        work(claim);
        await once(signal, 'abort');
        reasons.push(signal.reason);
      },
    });
    const claim = await began;
    await lanes.records.inTransaction(async (tx) => {
      await tx.jobs.expireLease(claim);
      await tx.jobs.reclaimExpired(maxLosses);
    });
    await expect.poll(lanes.marks, patience).toEqual([jobId]);
    expect(reasons).toEqual([new ClaimLost(claim)]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 2, losses: 1 });
  });

  it('that was cancelled is stopped at once, without an error in the log', async () => {
    const jobId = await lanes.submit(acme);
    const next = await lanes.submit(acme);
    const { work, began, release } = heldWork();
    await using worker = lanes.startWorker({
      listens: true,
      leaseSeconds: 3_600,
      work: (claim) => (claim.jobId === jobId ? work(claim) : undefined),
    });
    await Promise.all([began, worker.listening]);
    await lanes.records.jobs.cancel([jobId]);
    await expect.poll(lanes.marks, patience).toEqual([next]);
    expect(await lanes.job(jobId)).toMatchObject({ state: 'cancelled', losses: 0 });
    release();
    expect(worker.logged.filter((line) => line.includes('job cancelled'))).toHaveLength(1);
    expect(worker.logged.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
  });

  it('continues if the cancelled job with its id belongs to another deployment', async () => {
    const jobId = await lanes.submit(acme);
    const { work, began, release } = heldWork();
    await using worker = lanes.startWorker({ work });
    await began;
    worker.wake(jobId);
    await lanes.records.jobs.depths();
    release();
    await expect.poll(lanes.marks, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 1, losses: 0 });
  });

  it('with an unavailable dependency is retried any number of times and keeps its place', async () => {
    const first = await lanes.submit(acme);
    const second = await lanes.submit(acme);
    await using _worker = lanes.startWorker({
      work({ jobId, attempt }) {
        if (jobId === first && attempt <= 2 * maxLosses)
          throw new TributaryError('unavailable', 'unavailable');
      },
    });
    await expect.poll(marksWithoutWaits, patience).toEqual([first, second]);
    expect(await lanes.job(first)).toEqual({ state: 'done', attempt: 11, losses: 0 });
  });

  it.each([new ManifestConflict('a run was replaced'), new RunsRemoved('a file was swept')])(
    'whose runs were replaced starts over at once, any number of times: $name',
    async (error) => {
      const first = await lanes.submit(acme);
      const second = await lanes.submit(acme);
      await using _worker = lanes.startWorker({
        work({ jobId, attempt }) {
          if (jobId === first && attempt <= 2 * maxLosses) throw error;
        },
      });
      // Without skipping waits, because there are none.
      await expect.poll(lanes.marks, patience).toEqual([first, second]);
      expect(await lanes.job(first)).toEqual({ state: 'done', attempt: 11, losses: 0 });
    },
  );

  /** A statement that the server cancels, as it does when one takes too long. */
  const cancelledStatement = () =>
    lanes.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 1`.execute(tx);
      await sql`select pg_sleep(60)`.execute(tx);
    });

  it.each([
    ['that fails unexpectedly every time', () => Promise.reject(new Error('unexpected'))],
    ['whose statement is cancelled every time', cancelledStatement],
  ])('%s fails for good, and the lane continues', async (_, fail) => {
    const broken = await lanes.submit(acme);
    const next = await lanes.submit(acme);
    await using _worker = lanes.startWorker({
      async work({ jobId }) {
        if (jobId === broken) await fail();
      },
    });
    await expect.poll(marksWithoutWaits, patience).toEqual([next]);
    expect(await lanes.job(broken)).toEqual({ state: 'failed', attempt: 5, losses: 5 });
    expect(await lanes.records.importLogs.find(acme, broken)).toMatchObject({
      totalRows: 0,
      errors: [
        { code: 'worker_lost', message: expect.stringContaining('lost 5 times'), file: null },
      ],
    });
  });
});

describe('a database outage', () => {
  it('that ends all sessions while a job runs does not affect the job', async () => {
    const jobId = await lanes.submit(acme);
    const { work, began, release } = heldWork();
    await using _worker = lanes.startWorker({ url: ownSessions(), work });
    await began;
    await endSessions();
    release();
    await expect.poll(marksWithoutWaits, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toMatchObject({ state: 'done', losses: 0 });
  });

  it('in the middle of a commit rolls it back, and the job runs again', async () => {
    const jobId = await lanes.submit(acme);
    await using _worker = lanes.startWorker({
      url: ownSessions(),
      beforeSettling: ({ attempt }) => (attempt === 1 ? endSessions() : undefined),
    });
    await expect.poll(marksWithoutWaits, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 2, losses: 0 });
  });

  it('longer than a lease takes no job from a live worker', async () => {
    const leaseSeconds = 2;
    await using relay = await startRelay(lanes.url);
    const jobId = await lanes.submit(acme);
    const { work, began, release } = heldWork();
    await using _worker = lanes.startWorker({ url: relay.url, work, leaseSeconds });
    await began;
    await using _other = lanes.startWorker({ url: relay.url, leaseSeconds });
    await relay.cut();
    await expect
      .poll(async () => Date.now() - (await leaseUntil(jobId)), patience)
      .toBeGreaterThan(0);
    await relay.mend();
    await expect
      .poll(async () => (await leaseUntil(jobId)) - Date.now(), patience)
      .toBeGreaterThan(0);
    release();
    await expect.poll(lanes.marks, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 1, losses: 0 });
  });

  it('while a job is released delays the release without a loss', async () => {
    await using relay = await startRelay(lanes.url);
    const jobId = await lanes.submit(acme);
    await using worker = lanes.startWorker({
      url: relay.url,
      async work({ attempt }) {
        if (attempt > 1) return;
        await relay.cut();
        throw new TributaryError('unavailable', 'unavailable');
      },
    });
    const tries = () => worker.logged.filter((line) => line.includes('job deferred')).length;
    await expect.poll(tries, patience).toBeGreaterThan(2);
    await relay.mend();
    await expect.poll(marksWithoutWaits, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 2, losses: 0 });
  });
});

/** A connection URL whose sessions can be identified by name. */
function ownSessions(): string {
  return `${lanes.url}&application_name=${ownName}`;
}

async function endSessions(): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = ${ownName}
  `.execute(lanes.db);
}

async function leaseUntil(jobId: number): Promise<number> {
  const job = await lanes.db
    .selectFrom('job')
    .select('lease_until')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return job.lease_until?.getTime() ?? Number.NaN;
}
