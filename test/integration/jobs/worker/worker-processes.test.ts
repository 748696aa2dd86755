import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { suspectLosses } from '../../../../src/records/queue/jobs.ts';
import { freshLanes, type Lanes, maxLosses, patience } from '../../../support/lanes.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

let lanes: Lanes;
let acme: number;
let bravo: number;

beforeEach(async () => {
  lanes = await freshLanes();
  acme = await lanes.partner();
  bravo = await lanes.partner();
});
afterEach(() => lanes[Symbol.asyncDispose]());

describe('a worker process', () => {
  it('that crashes loses its job to another, and no job overtakes it', async () => {
    const first = await lanes.submit(acme);
    const second = await lanes.submit(acme);
    await using crashing = startWorkerProcess(lanes, { commitsOnSignal: true });
    await expect.poll(crashing.reports, patience).toEqual([`began ${first}`]);
    crashing.signal('SIGKILL');
    expect(await crashing.ended).toBe('SIGKILL');

    const bravos = await lanes.submit(bravo);
    await using _surviving = startWorkerProcess(lanes, { leaseSeconds: 10 });
    await expect.poll(lanes.marks, patience).toEqual([bravos, first, second]);
    expect(await lanes.job(first)).toEqual({ state: 'done', attempt: 2, losses: 1 });
    expect(await lanes.job(second)).toEqual({ state: 'done', attempt: 1, losses: 0 });
  });

  it('that was frozen past its lease can commit nothing and then continues with other jobs', async () => {
    const first = await lanes.submit(acme);
    await using frozen = startWorkerProcess(lanes, { commitsOnSignal: true });
    await expect.poll(frozen.reports, patience).toEqual([`began ${first}`]);
    frozen.signal('SIGSTOP');

    await using other = lanes.startWorker();
    await expect.poll(lanes.marks, patience).toEqual([first]);
    await other.stop();
    const done = await lanes.records.importLogs.find(acme, first);

    frozen.tellToCommit();
    frozen.signal('SIGCONT');
    await expect.poll(frozen.reports, patience).toContain(`was refused ${first}`);
    expect(await lanes.marks()).toEqual([first]);
    expect(await lanes.job(first)).toEqual({ state: 'done', attempt: 2, losses: 1 });
    expect(await lanes.records.importLogs.find(acme, first)).toEqual(done);

    const second = await lanes.submit(acme);
    await expect.poll(frozen.reports, patience).toContain(`committed ${second}`);
    expect(await lanes.marks()).toEqual([first, second]);
  });

  it('that resumes while another runs its job cannot commit', async () => {
    const jobId = await lanes.submit(acme);
    await using frozen = startWorkerProcess(lanes, { commitsOnSignal: true });
    await expect.poll(frozen.reports, patience).toEqual([`began ${jobId}`]);
    frozen.signal('SIGSTOP');

    const { promise: finishing, resolve: finish } = Promise.withResolvers<void>();
    await using _other = lanes.startWorker({ work: () => finishing });
    await expect.poll(() => lanes.job(jobId), patience).toMatchObject({ attempt: 2 });

    frozen.tellToCommit();
    frozen.signal('SIGCONT');
    await expect.poll(frozen.reports, patience).toContain(`was refused ${jobId}`);
    expect(await lanes.marks()).toEqual([]);
    finish();
    await expect.poll(lanes.marks, patience).toEqual([jobId]);
    expect(await lanes.job(jobId)).toEqual({ state: 'done', attempt: 2, losses: 1 });
  });

  it('is killed by the same job five times: the job fails, its neighbour and its lane do not', async () => {
    const deadlyJob = await lanes.submit(acme);
    const next = await lanes.submit(acme);
    const neighbour = await lanes.submit(bravo);
    // The neighbour takes long: it commits nothing while the deadly job runs beside it.
    await using shared = keepWorkerProcess({
      deadlyJob,
      concurrency: 2,
      suspects: false,
      commitsOnSignal: true,
    });
    await using isolated = keepWorkerProcess({ deadlyJob, suspects: true });
    async function settled(): Promise<string[]> {
      await lanes.skipWaits();
      const jobs = await Promise.all([deadlyJob, neighbour].map(lanes.job));
      return jobs.map(({ state }) => state);
    }
    await expect.poll(settled, { ...patience, timeout: 150_000 }).toEqual(['failed', 'done']);
    expect(await lanes.job(deadlyJob)).toEqual({ state: 'failed', attempt: 5, losses: 5 });
    expect(await lanes.job(neighbour)).toEqual({ state: 'done', attempt: 3, losses: 2 });
    expect(await lanes.records.importLogs.find(acme, deadlyJob)).toMatchObject({
      errors: [{ code: 'worker_lost', file: null, line: null, count: 1 }],
    });
    expect([shared.endings, isolated.endings]).toEqual([
      Array(suspectLosses).fill('SIGKILL'),
      Array(maxLosses - suspectLosses).fill('SIGKILL'),
    ]);
    shared.current().tellToCommit();
    await expect.poll(lanes.marks, patience).toEqual([neighbour, next]);
  });
});

/** Starts a worker process again whenever it ends. */
function keepWorkerProcess(options: Parameters<typeof startWorkerProcess>[1]) {
  const endings: (string | number)[] = [];
  let current = startWorkerProcess(lanes, options);
  let isStopped = false;
  const stopped = (async () => {
    while (!isStopped) {
      const ending = await current.ended;
      if (isStopped) return;
      endings.push(ending);
      current = startWorkerProcess(lanes, options);
    }
  })();
  return {
    endings,
    current: () => current,
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await current[Symbol.asyncDispose]();
      await stopped;
    },
  };
}
