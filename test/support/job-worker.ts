import { createLogger } from '../../src/config/logger.ts';
import { createWorker } from '../../src/jobs/worker/worker-loop.ts';
import { listenForJobs } from '../../src/records/queue/job-notices.ts';
import { type Imports, type JobParts, jobKinds } from './imports.ts';

export interface JobWorker extends AsyncDisposable {
  /** The lines that it logged. */
  readonly logged: readonly string[];
  stop(): Promise<void>;
}

interface JobWorkerOptions {
  /** Stand in for the real parts. */
  readonly instead?: Partial<JobParts>;
  /** Whether it hears of what is queued and cancelled; if not, it finds out by itself. */
  readonly listens?: boolean;
  readonly leaseSeconds?: number;
  readonly maxLosses?: number;
}

/** A worker that does real jobs, one at a time, until it is stopped. */
export function startJobWorker(imports: Imports, options: JobWorkerOptions = {}): JobWorker {
  const { listens = true, leaseSeconds = 10, maxLosses = 5 } = options;
  const logged: string[] = [];
  const log = createLogger({
    level: 'info',
    role: 'worker',
    secrets: [],
    write: (line) => logged.push(line),
  });
  const worker = createWorker({
    records: imports.records,
    kinds: jobKinds({ ...imports, log, ...options.instead }),
    log,
    concurrency: 1,
    leaseSeconds,
    maxLosses,
    pollMs: 20,
  });
  const stopping = new AbortController();
  const ended = Promise.all([
    worker.run(stopping.signal),
    listens ? listenForJobs(imports.database, worker.wake, stopping.signal) : undefined,
  ]);
  async function stop(): Promise<void> {
    stopping.abort();
    await ended;
  }
  return { logged, stop, [Symbol.asyncDispose]: stop };
}
