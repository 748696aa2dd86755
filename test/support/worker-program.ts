import { once } from 'node:events';
import { pino } from 'pino';
import { createWorker } from '../../src/jobs/worker/worker-loop.ts';
import { openDatabase } from '../../src/records/database/connection.ts';
import { type Claim, ClaimLost } from '../../src/records/queue/jobs.ts';
import { createRecords } from '../../src/records/records.ts';
import { commitMark, markingKind } from './marking-kind.ts';
import { testSealing } from './sealing.ts';

/** What the worker does with a job, and how it came out of it. */
export type Report = `${'began' | 'committed' | 'was refused'} ${number}`;

export interface WorkerProgramOptions {
  readonly url: string;
  readonly schema: string;
  readonly leaseSeconds: number;
  readonly maxLosses: number;
  /** Begin jobs, but commit none before the starter says so, whatever has happened meanwhile. */
  readonly commitsWhenTold: boolean;
  /** The job that kills whoever begins it. */
  readonly deadlyJob: number | null;
}

const options = JSON.parse(process.argv[2] ?? '') as WorkerProgramOptions;
const db = openDatabase({ ...options, maxConnections: 4 });
const told = options.commitsWhenTold ? once(process, 'message') : Promise.resolve();

// Nothing is left behind by a test that ends early.
process.on('disconnect', () => process.exit());

const kind = { ...markingKind(db, {}), run };
const worker = createWorker({
  records: createRecords(db, testSealing),
  kinds: { import: kind, deletion: kind, audience: kind },
  log: pino({ level: 'silent' }),
  concurrency: 1,
  leaseSeconds: options.leaseSeconds,
  maxLosses: options.maxLosses,
  pollMs: 20,
});
await worker.run(new AbortController().signal);

/** Deaf to the signal that would stop it: only the fence is between a lost attempt and its commit. */
async function run(claim: Claim): Promise<void> {
  report(`began ${claim.jobId}`);
  if (claim.jobId === options.deadlyJob) process.kill(process.pid, 'SIGKILL');
  await told;
  try {
    await commitMark(db, claim);
    report(`committed ${claim.jobId}`);
  } catch (error) {
    if (error instanceof ClaimLost) report(`was refused ${claim.jobId}`);
    throw error;
  }
}

function report(report: Report): void {
  process.send?.(report);
}
