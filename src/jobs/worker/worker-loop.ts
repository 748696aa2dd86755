import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { wholeImportProblem } from '../../domain/import-problems.ts';
import type { JobKind } from '../../domain/job.ts';
import { type Claim, ClaimLost } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import { isUnavailable, type JobHandler, RetryLater } from './job-handler.ts';

export interface WorkerOptions {
  readonly records: Records;
  readonly kinds: Readonly<Record<JobKind, JobHandler>>;
  readonly log: Logger;
  /** How many lanes are worked on at once. */
  readonly concurrency: number;
  /** How long a job stays with a worker that gives no sign of life. */
  readonly leaseSeconds: number;
  /** A job whose worker was lost this often fails. */
  readonly maxLosses: number;
  /** How often to look for work when nobody calls. */
  readonly pollMs: number;
}

export interface Worker {
  /** Looks for work now, not at the next poll; first whether a job was cancelled that is named. */
  wake(cancelledJob?: number): void;
  /** Works until aborted; resolves when the jobs it held are given back. */
  run(signal: AbortSignal): Promise<void>;
}

/** After this, a job given back because something it needs is away is tried again. */
const unavailableRetrySeconds = 2;

/** Takes jobs from the lanes and does them. */
export function createWorker(options: WorkerOptions): Worker {
  const { records, kinds, log, leaseSeconds } = options;
  const idleLoops = new Set<() => void>();
  const heartbeats = new Map<number, Heartbeat>();
  let wakeUps = 0;

  return {
    wake(cancelledJob) {
      // Whoever shares our database may mean a job of its own: the heartbeat tells.
      if (cancelledJob !== undefined) heartbeats.get(cancelledJob)?.beat();
      wakeUps++;
      for (const wakeLoop of idleLoops) wakeLoop();
    },

    async run(signal) {
      const loops = Array.from({ length: options.concurrency }, () => workLoop(signal));
      await Promise.all([...loops, recoveryLoop(signal)]);
    },
  };

  async function workLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wakeUpsBefore = wakeUps;
      const worked = await workOnce(signal).catch((error) => {
        log.warn({ err: error }, 'claiming a job failed');
        return false;
      });
      // A call that came while we looked may be about a job we did not see.
      if (!worked && wakeUps === wakeUpsBefore) await waitForWork(signal);
    }
  }

  /** Does the head of one lane. False if there was none to do. */
  async function workOnce(signal: AbortSignal): Promise<boolean> {
    const claim = await records.jobs.claim(leaseSeconds);
    if (!claim) return false;
    const job = { job: claim.jobId, partner: claim.partnerId, kind: claim.kind };
    const lost = new AbortController();
    const heartbeat = startHeartbeat(claim, lost);
    try {
      log.info({ ...job, attempt: claim.attempt }, 'job started');
      await kinds[claim.kind].run(claim, AbortSignal.any([signal, lost.signal]));
      log.info(job, 'job ended');
    } catch (error) {
      // Whatever it threw when it was stopped, that is why.
      const reason = lost.signal.aborted ? lost.signal.reason : error;
      await retryWhileUnavailable(() => settleAttempt(claim, reason, signal.aborted), signal);
    } finally {
      heartbeat.stop();
    }
    return true;
  }

  /** Keeps the lease alive while a job runs, and stops the job if the claim is lost. */
  function startHeartbeat(claim: Claim, lost: AbortController): Heartbeat {
    function beat(): void {
      records.jobs.heartbeat(claim, leaseSeconds).then(
        (held) => held || lost.abort(new ClaimLost(claim)),
        // The fence, not the heartbeat, keeps a lapsed claim from committing.
        (error) => log.warn({ err: error, job: claim.jobId }, 'lease renewal failed'),
      );
    }

    const timer = setInterval(beat, (leaseSeconds * 1000) / 3);
    const heart = {
      beat,
      stop() {
        clearInterval(timer);
        if (heartbeats.get(claim.jobId) === heart) heartbeats.delete(claim.jobId);
      },
    };
    heartbeats.set(claim.jobId, heart);
    return heart;
  }

  async function settleAttempt(claim: Claim, error: unknown, stopping: boolean): Promise<void> {
    const job = { job: claim.jobId, partner: claim.partnerId, kind: claim.kind };
    if (error instanceof ClaimLost) {
      if (await records.jobs.isCancelled(claim)) log.info(job, 'job cancelled');
      else log.warn({ ...job, attempt: claim.attempt }, 'lease lost');
    } else if (stopping) {
      await records.jobs.release(claim, 0);
      log.info(job, 'job released for shutdown');
    } else if (error instanceof RetryLater) {
      log.warn({ ...job, err: error }, 'job retry scheduled');
      await records.jobs.release(claim, error.afterSeconds);
    } else if (isUnavailable(error)) {
      log.warn({ ...job, err: error }, 'job deferred: dependency unavailable');
      await records.jobs.release(claim, unavailableRetrySeconds);
    } else {
      log.error({ ...job, err: error }, 'job failed unexpectedly');
      await records.jobs.expireLease(claim);
      await recoverLostJobs();
    }
  }

  /** Tries again while the database is away: jobs wait for it, they are not lost to it. */
  async function retryWhileUnavailable(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
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
    let answering = true;
    while (!signal.aborted) {
      let pauseMs = options.pollMs;
      try {
        if (answering) {
          await recoverLostJobs();
        } else {
          await records.checkReady();
          answering = true;
          // A lease that ran out while the database was away says nothing about its worker, who
          // gets a lease's time, from the first answer on, to renew it.
          pauseMs = leaseSeconds * 1000;
        }
      } catch (error) {
        log.warn({ err: error }, 'recovery of lost jobs failed');
        answering = false;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async function recoverLostJobs(): Promise<void> {
    const taken = await records.inTransaction(async (tx) => {
      const lostJobs = await tx.jobs.reclaimExpired(options.maxLosses);
      for (const job of lostJobs) {
        if (job.state === 'failed') {
          const message = `The job failed because its worker was lost ${job.losses} times. Unfinished work was not applied. Contact the operator before you send it again.`;
          await kinds[job.kind].giveUp(tx, job.jobId, wholeImportProblem('worker_lost', message));
        }
      }
      return lostJobs;
    });
    for (const { jobId, losses, state } of taken) {
      const event = state === 'failed' ? 'job failed: worker lost' : 'job requeued: worker lost';
      log.warn({ job: jobId, losses, state }, event);
    }
  }

  /** Until woken, or the next poll, or the end. */
  async function waitForWork(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const rouse = () => woken.abort();
    idleLoops.add(rouse);
    await sleep(options.pollMs, undefined, {
      signal: AbortSignal.any([signal, woken.signal]),
    }).catch(() => {});
    idleLoops.delete(rouse);
  }
}

interface Heartbeat {
  /** Renews the lease now. */
  beat(): void;
  stop(): void;
}
