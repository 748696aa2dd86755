import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/records/database/connection.ts';
import { type Claim, ClaimLost } from '../../../src/records/queue/jobs.ts';
import { createRecords, type Records } from '../../../src/records/records.ts';
import { freshLanes, type Lanes, maxLosses, patience } from '../../support/lanes.ts';
import { commitMark } from '../../support/marking-kind.ts';
import { testSealing } from '../../support/sealing.ts';

let lanes: Lanes;
let acme: number;
let bravo: number;

beforeEach(async () => {
  lanes = await freshLanes();
  acme = await lanes.partner();
  bravo = await lanes.partner();
});
afterEach(() => lanes[Symbol.asyncDispose]());

async function claim(): Promise<Claim> {
  const claimed = await lanes.records.jobs.claim(60);
  if (!claimed) throw new Error('no job to claim');
  return claimed;
}

async function expectNothingToClaim(): Promise<void> {
  expect(await lanes.records.jobs.claim(60)).toBeUndefined();
}

function settle(held: Claim, state: 'done' | 'failed' = 'done'): Promise<void> {
  return lanes.records.jobs.settle(held, state);
}

/** Lets the lease expire and returns the job's state after that. */
async function lose(held: Claim) {
  const [lost] = await lanes.records.inTransaction(async (tx) => {
    await tx.jobs.expireLease(held);
    return tx.jobs.reclaimExpired(maxLosses);
  });
  return lost;
}

/** The seconds from the loss of an attempt to the next attempt. */
async function waitOf(jobId: number): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from available_at - updated_at))::integer as seconds
    from job where job_id = ${jobId}
  `.execute(lanes.db);
  return rows[0]?.seconds;
}

/** Submits to acme's lane in a transaction that stays open until `commit`. */
function openSubmission() {
  const { promise: committing, resolve } = Promise.withResolvers<void>();
  const { promise: submitted, resolve: report } = Promise.withResolvers<number>();
  const committed = lanes.records.inTransaction(async (tx) => {
    report(await tx.jobs.submit(acme, 'import'));
    await committing;
  });
  async function commit(): Promise<void> {
    resolve();
    await committed;
  }
  return { submitted, commit };
}

/** Rejects if it has to wait for another submission. */
function submitWithoutWaiting(partnerId: number): Promise<number> {
  return lanes.db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '50ms'`.execute(tx);
    return createRecords(tx, testSealing).jobs.submit(partnerId, 'import');
  });
}

/** Commits late, so that another submission could commit in between if the lane were not locked. */
function submitSlowly(records: Records, partnerId: number): Promise<number> {
  return records.inTransaction(async (tx) => {
    const jobId = await tx.jobs.submit(partnerId, 'import');
    await sleep(Math.random() * 20);
    return jobId;
  });
}

describe('the jobs of a lane', () => {
  it('run one at a time, in the order they were submitted', async () => {
    const first = await lanes.submit(acme);
    const second = await lanes.submit(acme);
    const held = await claim();
    expect(held).toMatchObject({ jobId: first, partnerId: acme, kind: 'import', attempt: 1 });
    await expectNothingToClaim();
    await settle(held);
    expect(await claim()).toMatchObject({ jobId: second, attempt: 1 });
  });

  it('of two partners, interleaved, keep their own order and do not wait for each other', async () => {
    const a1 = await lanes.submit(acme);
    const b1 = await lanes.submit(bravo);
    const a2 = await lanes.submit(acme);
    const b2 = await lanes.submit(bravo);
    const acmes = await claim();
    const bravos = await claim();
    expect([acmes.jobId, bravos.jobId]).toEqual([a1, b1]);
    await expectNothingToClaim();
    await settle(bravos);
    expect((await claim()).jobId).toBe(b2);
    await expectNothingToClaim();
    await settle(acmes);
    expect((await claim()).jobId).toBe(a2);
  });

  it('wait for a slow head, which blocks no other lane', async () => {
    const a1 = await lanes.submit(acme);
    const a2 = await lanes.submit(acme);
    const b1 = await lanes.submit(bravo);
    const b2 = await lanes.submit(bravo);
    const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
    await using _worker = lanes.startWorker({
      concurrency: 3,
      work: ({ jobId }) => (jobId === a1 ? slow : undefined),
    });
    await expect.poll(lanes.marks, patience).toEqual([b1, b2]);
    expect(await lanes.job(a2)).toMatchObject({ state: 'pending', attempt: 0 });
    finish();
    await expect.poll(lanes.marks, patience).toEqual([b1, b2, a1, a2]);
  });

  it('continue after one that failed', async () => {
    await lanes.submit(acme);
    const second = await lanes.submit(acme);
    await settle(await claim(), 'failed');
    expect((await claim()).jobId).toBe(second);
  });

  it('do not overtake one that waits for its retry', async () => {
    const first = await lanes.submit(acme);
    const second = await lanes.submit(acme);
    await lanes.records.jobs.release(await claim(), 3600);
    await expectNothingToClaim();
    await lanes.skipWaits();
    const retry = await claim();
    expect(retry).toMatchObject({ jobId: first, attempt: 2 });
    await settle(retry);
    expect((await claim()).jobId).toBe(second);
    expect(await lanes.job(first)).toEqual({ state: 'done', attempt: 2, losses: 0 });
  });

  it('do not overtake one that was lost, which becomes the head again with the next attempt', async () => {
    const first = await lanes.submit(acme);
    await lanes.submit(acme);
    expect(await lose(await claim())).toMatchObject({ jobId: first, state: 'pending', losses: 1 });
    expect(await claim()).toMatchObject({ jobId: first, attempt: 2 });
    await expectNothingToClaim();
  });

  it('wait for one that is lost repeatedly, which is retried later each time and fails at last', async () => {
    const first = await lanes.submit(acme);
    const second = await lanes.submit(acme);
    const waits: unknown[] = [];
    for (let losses = 1; losses < maxLosses; losses++) {
      expect(await lose(await claim())).toMatchObject({ jobId: first, state: 'pending', losses });
      waits.push(await waitOf(first));
      if (losses > 1) await expectNothingToClaim();
      await lanes.skipWaits();
    }
    expect(waits).toEqual([0, 1, 4, 9]);
    expect(await lose(await claim())).toMatchObject({ jobId: first, state: 'failed', losses: 5 });
    expect((await claim()).jobId).toBe(second);
  });
});

describe('an attempt', () => {
  it('keeps its job for as long as it renews its lease', async () => {
    await lanes.submit(acme);
    const held = await claim();
    await lanes.records.inTransaction(async (tx) => {
      await tx.jobs.expireLease(held);
      expect(await tx.jobs.heartbeat(held, 60)).toBe(true);
      expect(await tx.jobs.reclaimExpired(maxLosses)).toEqual([]);
    });
    await settle(held);
  });

  it('that lost its claim can no longer change the job', async () => {
    const { jobs } = lanes.records;
    const jobId = await lanes.submit(acme);
    const lost = await claim();
    await lose(lost);
    for (const meanwhile of ['pending', 'running', 'done']) {
      if (meanwhile === 'running') await claim();
      if (meanwhile === 'done') await settle({ ...lost, attempt: 2 });
      await expect(jobs.settle(lost, 'done')).rejects.toThrow(ClaimLost);
      await expect(jobs.settle(lost, 'failed')).rejects.toThrow(ClaimLost);
      expect(await jobs.heartbeat(lost, 60)).toBe(false);
      await jobs.release(lost, 0);
      await jobs.expireLease(lost);
      expect(await jobs.reclaimExpired(maxLosses)).toEqual([]);
      expect(await lanes.job(jobId)).toMatchObject({ state: meanwhile, losses: 1 });
    }
  });

  it('that lost its claim cannot commit: its transaction is rolled back', async () => {
    await lanes.submit(acme);
    const lost = await claim();
    await lose(lost);
    await expect(commitMark(lanes.db, lost)).rejects.toThrow(new ClaimLost(lost));
    expect(await lanes.marks()).toEqual([]);
  });
});

describe('submissions', () => {
  it('of a lane wait for one another, so that ids are assigned in commit order', async () => {
    const { submitted, commit } = openSubmission();
    try {
      const first = await submitted;
      await expect(submitWithoutWaiting(acme)).rejects.toThrow('lock timeout');
      const bravos = await submitWithoutWaiting(bravo);
      expect((await claim()).jobId).toBe(bravos);
      await expectNothingToClaim();
      await commit();
      expect(await submitWithoutWaiting(acme)).toBeGreaterThan(first);
      expect((await claim()).jobId).toBe(first);
    } finally {
      await commit();
    }
  });

  it('that are rolled back do not block the lane', async () => {
    const before = await lanes.submit(acme);
    const rolledBack = lanes.records.inTransaction(async (tx) => {
      await tx.jobs.submit(acme, 'import');
      throw new Error('changed my mind');
    });
    const after = lanes.submit(acme);
    await expect(rolledBack).rejects.toThrow('changed my mind');
    const afterId = await after;
    const held = await claim();
    expect(held.jobId).toBe(before);
    await settle(held);
    expect((await claim()).jobId).toBe(afterId);
  });

  it('in progress do not block claims of their lane', async () => {
    const first = await lanes.submit(acme);
    await lanes.records.inTransaction(async (tx) => {
      await tx.jobs.submit(acme, 'import');
      expect((await claim()).jobId).toBe(first);
    });
  });

  it('from many connections, while workers claim, all run once and in order', async () => {
    const partners = [acme, bravo, await lanes.partner(), await lanes.partner()];
    await using resources = new AsyncDisposableStack();
    for (let workers = 0; workers < 3; workers++) {
      resources.use(lanes.startWorker({ concurrency: 2, listens: true }));
    }
    const connections = 8;
    const db = openDatabase({ ...lanes, maxConnections: connections });
    resources.defer(() => db.destroy());
    const records = createRecords(db, testSealing);
    // Connect first, so that all submit at the same time.
    await Promise.all(Array.from({ length: connections }, records.checkReady));
    const submitted: { partnerId: number; jobId: number }[] = [];
    // At first all submit to the same lane, while the workers wait for its first job.
    async function submitInTurn(): Promise<void> {
      for (let n = 0; n < 200 / connections; n++) {
        const partnerId = partners[n % partners.length]!;
        submitted.push({ partnerId, jobId: await submitSlowly(records, partnerId) });
      }
    }
    await Promise.all(Array.from({ length: connections }, submitInTurn));
    await expect.poll(async () => (await lanes.marks()).length, patience).toBe(200);
    const marks = await lanes.marks();
    for (const jobs of Map.groupBy(submitted, ({ partnerId }) => partnerId).values()) {
      const inOrder = jobs.map(({ jobId }) => jobId).toSorted((a, b) => a - b);
      expect(marks.filter((jobId) => inOrder.includes(jobId))).toEqual(inOrder);
    }
  });
});

describe('lanes', () => {
  it('take turns: fifty jobs of one partner do not delay the single job of another', async () => {
    for (let n = 0; n < 50; n++) await lanes.submit(acme);
    const single = await lanes.submit(bravo);
    await using _worker = lanes.startWorker({ concurrency: 1 });
    await expect.poll(async () => (await lanes.marks()).length, patience).toBe(51);
    expect((await lanes.marks()).indexOf(single)).toBeLessThanOrEqual(1);
  });

  it('are claimed without waiting for a claim in progress', async () => {
    const acmes = await lanes.submit(acme);
    const bravos = await lanes.submit(bravo);
    await lanes.records.inTransaction(async (tx) => {
      expect(await tx.jobs.claim(60)).toMatchObject({ jobId: acmes });
      expect((await claim()).jobId).toBe(bravos);
    });
  });

  it('that are free are each claimed by one of several concurrent claims', async () => {
    const partners = [acme, bravo];
    while (partners.length < 8) partners.push(await lanes.partner());
    for (let round = 0; round < 20; round++) {
      for (const partner of partners) await lanes.submit(partner);
      const claims = await Promise.all(partners.map(claim));
      const claimed = claims.map(({ partnerId }) => partnerId);
      expect(claimed.toSorted((a, b) => a - b)).toEqual(partners);
      await Promise.all(claims.map((held) => settle(held)));
    }
  });
});

describe('after the clock was set back by an hour', () => {
  /** Makes all times of jobs an hour later, as seen from the clock. */
  async function setClockBack(): Promise<void> {
    await sql`
      update job set available_at = available_at + interval '1 hour',
        lease_until = lease_until + interval '1 hour'
    `.execute(lanes.db);
  }

  async function leaseSecondsLeft({ jobId }: Claim): Promise<number> {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from lease_until - clock_timestamp())::float as seconds
      from job where job_id = ${jobId}
    `.execute(lanes.db);
    return rows[0]!.seconds;
  }

  it('queued jobs and retries are due', async () => {
    const first = await lanes.submit(acme);
    const second = await lanes.submit(bravo);
    await lanes.records.jobs.release(await claim(), 20);
    await setClockBack();
    expect(new Set([(await claim()).jobId, (await claim()).jobId])).toEqual(
      new Set([first, second]),
    );
  });

  it('a lease lasts no longer than one that is renewed now, and its worker is not lost at once', async () => {
    await lanes.submit(acme);
    const held = await claim();
    await setClockBack();
    await lanes.records.jobs.capLeases(60);
    expect(await leaseSecondsLeft(held)).toBeLessThanOrEqual(60);
    expect(await lanes.records.jobs.reclaimExpired(maxLosses)).toEqual([]);
    // Without renewal it expires as usual.
    await sql`update job set lease_until = lease_until - interval '1 minute'`.execute(lanes.db);
    expect(await lanes.records.jobs.reclaimExpired(maxLosses)).toMatchObject([{ losses: 1 }]);
  });
});

it('a retry that is scheduled far ahead waits half a minute', async () => {
  const jobId = await lanes.submit(acme);
  await lanes.records.jobs.release(await claim(), 3_600);
  expect(await waitOf(jobId)).toBe(30);
  await expectNothingToClaim();
});
