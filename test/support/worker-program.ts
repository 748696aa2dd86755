import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { JobEnd } from '../../src/jobs/worker/job-handler.ts';
import { createWorker } from '../../src/jobs/worker/worker-loop.ts';
import { openDatabase } from '../../src/records/database/connection.ts';
import { type Claim, ClaimLost } from '../../src/records/queue/jobs.ts';
import { createRecords } from '../../src/records/records.ts';
import { commitMark, markingKind } from './marking-kind.ts';
import { testSealing } from './sealing.ts';

/** A report of the worker about a job. */
export type Report = `${'began' | 'committed' | 'was refused'} ${number}`;

export interface WorkerProgramOptions {
  readonly url: string;
  readonly schema: string;
  readonly leaseSeconds: number;
  readonly maxLosses: number;
  /** Starts jobs, but commits none before the parent process allows it. */
  readonly commitsOnSignal: boolean;
  /** The job that kills its worker, once all lanes of the worker have a job. */
  readonly deadlyJob: number | null;
  readonly concurrency: number;
  /** Whether to claim only suspects, or none; any job if null. */
  readonly suspects: boolean | null;
}

const options = JSON.parse(process.argv[2] ?? '') as WorkerProgramOptions;
const db = openDatabase({ ...options, maxConnections: 4 });
const commitAllowed = options.commitsOnSignal ? once(process, 'message') : Promise.resolve();

// Exit with the test, even if it ends early.
process.on('disconnect', () => process.exit());

const kind = { ...markingKind(db, {}), run };
const worker = createWorker({
  records: createRecords(db, testSealing),
  kinds: { import: kind, deletion: kind, audience: kind },
  log: pino({ level: 'silent' }),
  concurrency: options.concurrency,
  ...(options.suspects === null ? {} : { suspects: options.suspects }),
  leaseSeconds: options.leaseSeconds,
  maxLosses: options.maxLosses,
  pollMs: 50,
});
let begun = 0;
await worker.run(new AbortController().signal);

/** Ignores the signal that would stop it, so only the fence can prevent the commit of a lost attempt. */
async function run(claim: Claim): Promise<JobEnd> {
  report(`began ${claim.jobId}`);
  begun++;
  if (claim.jobId === options.deadlyJob) {
    while (begun < options.concurrency) await sleep(10);
    process.kill(process.pid, 'SIGKILL');
  }
  await commitAllowed;
  try {
    await commitMark(db, claim);
    report(`committed ${claim.jobId}`);
    return { outcome: 'done', rows: 0, errorCode: undefined };
  } catch (error) {
    if (error instanceof ClaimLost) report(`was refused ${claim.jobId}`);
    throw error;
  }
}

function report(report: Report): void {
  process.send?.(report);
}
