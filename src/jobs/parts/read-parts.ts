import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { JobKind } from '../../domain/job.ts';
import type { Intake, OpenedFile } from '../../intake/intake.ts';
import type { ObjectStore } from '../../objects/port.ts';
import type { TakenParts } from '../../records/queue/job-parts.ts';
import { type Claim, ClaimLost } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import type { Helper } from '../worker/worker-loop.ts';
import type { InputPart } from './plan-parts.ts';
import { keysWithFormat, storeRows } from './stored-rows.ts';

/**
 * How many parts are stored at once. With one, parts that were read at the same time would wait for each
 * other's last requests to the store. Each holds a few chunks in memory for every thread.
 */
const storedAtOnce = 4;

/** The files of a job that another worker has. */
interface PartSource extends AsyncDisposable {
  /** Must equal the `keys` that the owner published. */
  readonly keys: string;
  open(part: InputPart): OpenedFile;
}

/** Opens the files of a job of one kind. */
export type OpenPartSource = (job: Claim, signal: AbortSignal) => Promise<PartSource>;

export interface PartReaderDependencies {
  readonly records: Pick<Records, 'jobParts'>;
  readonly objects: ObjectStore;
  readonly intake: Pick<Intake, 'filesAtOnce'>;
  /** The kinds of jobs that are shared. */
  readonly kinds: Readonly<Partial<Record<JobKind, OpenPartSource>>>;
  readonly log: Logger;
  /** How long a part stays taken without a heartbeat. */
  readonly leaseSeconds: number;
}

/**
 * Reads parts of jobs that other workers have, a few at a time, so that a job of its own does not wait
 * long. A part whose file is invalid, gone or unavailable is left to the worker that has the job: it reads
 * the part again and handles the error.
 */
export function createPartReader(deps: PartReaderDependencies): Helper {
  const { records, intake, log, leaseSeconds } = deps;
  return async (ownJobs) => {
    const choice = { leaseSeconds, ownJobs };
    const taken = await records.jobParts.takeLast(randomUUID(), intake.filesAtOnce, choice);
    return taken && ((signal) => readTaken(taken, signal));
  };

  async function readTaken(taken: TakenParts, signal: AbortSignal): Promise<void> {
    const job = { job: taken.job.jobId, partner: taken.job.partnerId, kind: taken.job.kind };
    const lost = new AbortController();
    const timer = setInterval(renew, (leaseSeconds * 1000) / 3);
    const startedAt = performance.now();
    try {
      const stored = await storeAll(taken, AbortSignal.any([signal, lost.signal]));
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      log.info({ ...job, parts: stored, seconds }, 'parts read for another worker');
    } catch (error) {
      if (lost.signal.aborted) log.info(job, 'parts no longer needed');
      else if (signal.aborted) log.info(job, 'parts released for shutdown');
      else log.warn({ ...job, err: error }, 'reading parts failed');
    } finally {
      clearInterval(timer);
      // If this fails, the leases expire.
      await records.jobParts.leaveToOwner(taken).catch(() => {});
    }

    function renew(): void {
      records.jobParts.renew(taken, leaseSeconds).then(
        (isCurrent) => isCurrent || lost.abort(new ClaimLost(taken.job)),
        (error) => log.warn({ ...job, err: error }, 'lease renewal failed'),
      );
    }
  }

  /** Returns how many parts were stored. */
  async function storeAll(taken: TakenParts, signal: AbortSignal): Promise<number> {
    const { job } = taken;
    await using source = await deps.kinds[job.kind]?.(job, signal);
    // For example, an attribute was added or removed since the job began.
    if (!source || keysWithFormat(source.keys) !== taken.keys) return 0;
    let stored = 0;
    const opened = taken.parts.map(({ position, input }) => ({
      position,
      part: source.open(input as InputPart),
    }));
    const left = opened.values();

    async function storeNext(): Promise<void> {
      for (const { position, part } of left) {
        const rows = await storeRows(deps.objects, job, part);
        signal.throwIfAborted();
        if (rows && (await records.jobParts.finish(taken, position, rows))) stored++;
      }
    }

    const storing = Array.from({ length: storedAtOnce }, storeNext);
    try {
      await Promise.all(storing);
    } finally {
      await Promise.all(opened.map(({ part }) => part[Symbol.asyncDispose]()));
      await Promise.allSettled(storing);
    }
    return stored;
  }
}
