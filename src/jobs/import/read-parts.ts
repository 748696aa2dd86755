import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Intake } from '../../intake/intake.ts';
import type { TakenParts } from '../../records/queue/job-parts.ts';
import { ClaimLost } from '../../records/queue/jobs.ts';
import type { InputPart } from '../parts/plan-parts.ts';
import { storeRows } from '../parts/stored-rows.ts';
import { openAhead } from '../worker/open-ahead.ts';
import type { Helper } from '../worker/worker-loop.ts';
import { digestOfKeys, openImportPart } from './import-part.ts';
import { type ImportSourceDependencies, openImportSource } from './import-source.ts';

export interface PartReaderDependencies extends ImportSourceDependencies {
  readonly intake: Intake;
  readonly log: Logger;
  /** How long a part stays taken without a heartbeat. */
  readonly leaseSeconds: number;
}

/**
 * Reads parts of imports that other workers have, a few at a time, so that a job of its own does not wait
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
    const request = await records.importLogs.request(job.jobId);
    const keys = await records.attributes.segmentKeys(job.partnerId, request.keyType);
    // An attribute was added or removed since the job began.
    if (digestOfKeys(keys) !== taken.keys) return 0;
    await using source = await openImportSource(deps, job, request);
    // The worker that has the job adds up the rejected rows of a file.
    const reading = { request, keys, rejectLimit: 1, signal };
    let stored = 0;
    const open = ({ input }: TakenParts['parts'][number]) =>
      openImportPart(intake, source, reading, input as InputPart);
    for await (const [{ position }, part] of openAhead(taken.parts, intake.filesAtOnce, open)) {
      const rows = await storeRows(deps.objects, job, part);
      signal.throwIfAborted();
      if (rows && (await records.jobParts.finish(taken, position, rows))) stored++;
    }
    return stored;
  }
}
