import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { emitStopped } from '../../actions/job-events.ts';
import { wholeImportProblem } from '../../domain/import-problems.ts';
import type { JobKind } from '../../domain/job.ts';
import { unlessAborted } from '../../domain/unless-aborted.ts';
import type { JobNotice } from '../../records/queue/job-notices.ts';
import { type Claim, ClaimLost, partsNotice } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import { type Span, type Tracer, throughSpan } from '../../trace/span.ts';
import {
  isTooLarge,
  isUnavailable,
  type JobEnd,
  type JobHandler,
  mustStartOver,
  RetryLater,
} from './job-handler.ts';
import type { AttemptOutcome, WorkerObserver } from './worker-observer.ts';

export interface WorkerOptions {
  readonly records: Records;
  readonly kinds: Readonly<Record<JobKind, JobHandler>>;
  readonly log: Logger;
  /** How many jobs of any size run at once. */
  readonly concurrency: number;
  /** How many small jobs may run beside them, so that a small job never waits for large ones. */
  readonly smallConcurrency?: number;
  /** How long a claim stays valid without a heartbeat. */
  readonly leaseSeconds: number;
  /** A job fails when its worker was lost this often. */
  readonly maxLosses: number;
  /** How often to look for jobs when no notice arrives. */
  readonly pollMs: number;
  /** Whether to claim only suspects, or none; any job if undefined. */
  readonly suspects?: boolean;
  /** Reads parts of jobs that other workers have. Undefined: it reads none. */
  readonly helper?: Helper;
  /** Called at every poll. */
  onSuspects?(exist: boolean): void;
  readonly observer?: WorkerObserver;
  /** Continues the trace of a job's submission. Null: nothing is traced. */
  readonly tracer?: Tracer | null;
}

type Work = (signal: AbortSignal) => Promise<void>;

/** Takes parts of a job that another worker has, not of `ownJobs`. Undefined if there are none. */
export type Helper = (ownJobs: readonly number[]) => Promise<Work | undefined>;

export interface Worker {
  /** Looks for jobs now instead of at the next poll. Checks a cancelled job first. */
  wake(notice?: JobNotice): void;
  /** Runs jobs until aborted; resolves when its jobs are released. */
  run(signal: AbortSignal): Promise<void>;
  /** How many jobs run at the moment, in slots for jobs of any size and for small ones. */
  readonly running: Readonly<Record<'any' | 'small', number>>;
}

/** The delay before a job with an unavailable dependency is tried again. */
const unavailableRetrySeconds = 2;

/** Claims jobs from the lanes and runs them. */
export function createWorker(options: WorkerOptions): Worker {
  const { records, kinds, log, leaseSeconds } = options;
  const { concurrency, smallConcurrency = 0 } = options;
  const heartbeats = new Map<number, Heartbeat>();
  const running = { any: 0, small: 0 };
  /** Whether a job may have parts to read. Looking for them at every poll would cost a query. */
  let mayHelp = false;
  let wakeUps = 0;
  let wakeLoop = () => {};

  return {
    running,
    wake(notice) {
      if (notice === partsNotice) mayHelp = true;
      // The notice may be for another deployment's job in this database. The heartbeat finds out.
      else if (notice !== undefined) heartbeats.get(notice)?.beat();
      wakeUps++;
      wakeLoop();
    },

    async run(signal) {
      await Promise.all([claimLoop(signal), recoveryLoop(signal)]);
    },
  };

  /** Claims jobs while there is room for one more. */
  async function claimLoop(signal: AbortSignal): Promise<void> {
    const jobs = new Set<Promise<void>>();
    while (!signal.aborted) {
      const wakeUpsBefore = wakeUps;
      const run = await findWork().catch((error) => {
        log.warn({ err: error }, 'claiming a job failed');
      });
      if (run) {
        const job = run(signal).finally(() => jobs.delete(job));
        jobs.add(job);
        // A notice that arrived during the claim may announce a job that the claim did not see.
      } else if (wakeUps === wakeUpsBefore) await waitForWork(signal);
    }
    await Promise.all(jobs);
  }

  /** A job of its own comes first, then parts of another worker's job. */
  async function findWork(): Promise<Work | undefined> {
    const claim = await claimNext();
    if (claim) {
      const settleError = (error: unknown) =>
        log.warn({ err: error, job: claim.jobId }, 'job could not be settled');
      return (signal) => runJob(claim, signal).catch(settleError);
    }
    // Parts can take long, so a slot stays free for the next job of another partner.
    const slots = Math.max(1, concurrency - 1);
    if (!options.helper || !mayHelp || running.any >= slots) return undefined;
    // Before the search, because a notice that arrives meanwhile sets it again.
    mayHelp = false;
    const help = await options.helper([...heartbeats.keys()]);
    if (!help) return undefined;
    mayHelp = true;
    return (signal) => inPlace('any', () => help(signal));
  }

  /** Occupies a slot while the work runs. */
  async function inPlace(room: 'any' | 'small', work: () => Promise<void>): Promise<void> {
    running[room]++;
    try {
      await work();
    } finally {
      running[room]--;
      wakeUps++;
      wakeLoop();
    }
  }

  /** The head of a lane, if there is one, and room for it. */
  async function claimNext(): Promise<Claim | undefined> {
    const onlySmall = running.any >= concurrency;
    if (onlySmall && running.small >= smallConcurrency) return undefined;
    return records.jobs.claim(leaseSeconds, { suspects: options.suspects, onlySmall });
  }

  async function runJob(claim: Claim, signal: AbortSignal): Promise<void> {
    const span = beginTrace(claim);
    const attempt = () => runAttempt(claim, span, signal);
    // Log lines of the whole attempt belong to the span, not only those of its work.
    await inPlace(claim.mustBeSmall ? 'small' : 'any', async () =>
      span ? span.run(attempt) : attempt(),
    );
  }

  async function runAttempt(
    claim: Claim,
    span: Span | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const job = { job: claim.jobId, partner: claim.partnerId, kind: claim.kind };
    const lost = new AbortController();
    const heartbeat = startHeartbeat(claim, lost);
    log.info({ ...job, attempt: claim.attempt }, 'job started');
    const startedAt = performance.now();
    const observe = (outcome: AttemptOutcome) =>
      options.observer?.attemptEnded(claim.kind, outcome, (performance.now() - startedAt) / 1000);
    const work = throughSpan(span, () =>
      kinds[claim.kind].run(claim, AbortSignal.any([signal, lost.signal])),
    );
    try {
      // A shutdown releases the job before its work has stopped, because threads may take longer to
      // stop than this process may live. The fence keeps that work from committing.
      logEnd(job, await unlessAborted(work, signal), performance.now() - startedAt);
      observe('ended');
    } catch (error) {
      // Whatever a stopped job threw, the lost claim is the reason.
      const reason = lost.signal.aborted ? lost.signal.reason : error;
      observe(
        await retryWhileUnavailable(() => settleAttempt(claim, reason, signal.aborted), signal),
      );
    } finally {
      heartbeat.stop();
      await work.catch(() => {});
    }
  }

  function logEnd(job: object, { outcome, rows, errorCode }: JobEnd, ms: number): void {
    const fields = { ...job, outcome, rows, seconds: Math.round(ms) / 1000 };
    if (outcome === 'done') log.info(fields, 'job ended');
    else log.warn({ ...fields, error_code: errorCode }, 'job failed');
  }

  function beginTrace({ jobId, partnerId, kind, attempt, traceparent }: Claim) {
    return options.tracer?.begin({
      name: `job ${kind}`,
      kind: 'consumer',
      traceparent,
      attributes: {
        'tributary.job.id': jobId,
        'tributary.job.kind': kind,
        'tributary.job.attempt': attempt,
        'tributary.partner.id': partnerId,
      },
    });
  }

  /** Renews the lease while a job runs, and stops the job if the claim is lost. */
  function startHeartbeat(claim: Claim, lost: AbortController): Heartbeat {
    function beat(): void {
      records.jobs.heartbeat(claim, leaseSeconds).then(
        (held) => held || lost.abort(new ClaimLost(claim)),
        // A failed renewal is harmless: the fence keeps an expired claim from committing.
        (error) => log.warn({ err: error, job: claim.jobId }, 'lease renewal failed'),
      );
    }

    const timer = setInterval(beat, (leaseSeconds * 1000) / 3);
    const heartbeat = {
      beat,
      stop() {
        clearInterval(timer);
        if (heartbeats.get(claim.jobId) === heartbeat) heartbeats.delete(claim.jobId);
      },
    };
    heartbeats.set(claim.jobId, heartbeat);
    return heartbeat;
  }

  /** Gives the job back to its lane, unless the claim was lost. */
  async function settleAttempt(
    claim: Claim,
    error: unknown,
    stopping: boolean,
  ): Promise<AttemptOutcome> {
    const job = { job: claim.jobId, partner: claim.partnerId, kind: claim.kind };
    if (error instanceof ClaimLost) {
      if (await records.jobs.isCancelled(claim)) {
        log.info(job, 'job cancelled');
        return 'cancelled';
      }
      log.warn({ ...job, attempt: claim.attempt }, 'lease lost');
      return 'lease_lost';
    }
    if (stopping) {
      // False if the job was just committed.
      if (!(await records.jobs.release(claim, 0))) return 'ended';
      log.info(job, 'job released for shutdown');
      return 'stopped';
    }
    if (isTooLarge(error)) {
      log.info(job, 'job waits: it is large, and large jobs are running');
      await records.jobs.releaseAsLarge(claim);
      return 'too_large';
    }
    if (error instanceof RetryLater) {
      log.warn({ ...job, err: error }, 'job retry scheduled');
      await records.jobs.release(claim, error.afterSeconds);
      return 'retried';
    }
    if (mustStartOver(error)) {
      log.info({ ...job, err: error }, 'job restarted: runs were replaced or devices suppressed');
      await records.jobs.release(claim, 0);
      return 'restarted';
    }
    if (isUnavailable(error)) {
      log.warn({ ...job, err: error }, 'job deferred: dependency unavailable');
      await records.jobs.release(claim, unavailableRetrySeconds);
      return 'deferred';
    }
    log.error({ ...job, err: error }, 'job failed unexpectedly');
    await records.jobs.expireLease(claim);
    await recoverLostJobs();
    return 'failed';
  }

  /** Retries while the database is unavailable, so that an outage does not count as a loss. */
  async function retryWhileUnavailable<T>(
    action: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (!isUnavailable(error) || signal.aborted) throw error;
        await sleep(options.pollMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  async function recoveryLoop(signal: AbortSignal): Promise<void> {
    let isDatabaseUp = true;
    while (!signal.aborted) {
      let pauseMs = options.pollMs;
      try {
        if (isDatabaseUp) {
          if (await records.jobs.haveWrongLeases(leaseSeconds)) await recoverLostJobs();
          options.onSuspects?.(await records.jobs.haveSuspects());
        } else {
          await records.checkReady();
          isDatabaseUp = true;
          // A lease that expired during an outage does not mean that its worker is lost. Every
          // worker gets one lease's time to renew.
          pauseMs = leaseSeconds * 1000;
        }
      } catch (error) {
        log.warn({ err: error }, 'recovery of lost jobs failed');
        isDatabaseUp = false;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async function recoverLostJobs(): Promise<void> {
    const recovered = await records.inTransaction(async (tx) => {
      await tx.refuseNewerSchema();
      await tx.jobs.capLeases(leaseSeconds);
      const lostJobs = await tx.jobs.reclaimExpired(options.maxLosses);
      for (const job of lostJobs) {
        if (job.state === 'failed') {
          const message = `The job failed because its worker was lost ${job.losses} times. Unfinished work was not applied. Contact the operator before you send it again.`;
          const problem = wholeImportProblem('worker_lost', message);
          await kinds[job.kind].giveUp(tx, job.jobId, problem);
          await emitStopped(tx, [job.jobId], problem);
        }
      }
      return lostJobs;
    });
    for (const lostJob of recovered) {
      const { jobId, kind, losses, state } = lostJob;
      options.observer?.jobLost(lostJob);
      const lost = { job: jobId, kind, losses, state };
      if (state === 'pending') log.warn(lost, 'job requeued: worker lost');
      else log.warn({ ...lost, outcome: 'failed', error_code: 'worker_lost' }, 'job failed');
    }
  }

  /** Waits until woken, the next poll or shutdown. */
  async function waitForWork(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wakeLoop = () => woken.abort();
    await sleep(options.pollMs, undefined, {
      signal: AbortSignal.any([signal, woken.signal]),
    }).catch(() => {});
  }
}

interface Heartbeat {
  /** Renews the lease now. */
  beat(): void;
  stop(): void;
}
