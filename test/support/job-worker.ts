import { createLogger } from '../../src/config/logger.ts';
import { createPartReader } from '../../src/jobs/parts/read-parts.ts';
import { createWorker } from '../../src/jobs/worker/worker-loop.ts';
import type { WorkerObserver } from '../../src/jobs/worker/worker-observer.ts';
import { listenForJobs } from '../../src/records/queue/job-notices.ts';
import { currentSpanIds, type Tracer } from '../../src/trace/span.ts';
import { type Imports, type JobParts, jobKinds, partKinds } from './imports.ts';

export interface JobWorker extends AsyncDisposable {
  /** The log lines. */
  readonly logged: readonly string[];
  stop(): Promise<void>;
}

interface JobWorkerOptions {
  /** Replace the real parts. */
  readonly instead?: Partial<JobParts>;
  /** Whether it is notified of queued and cancelled jobs; otherwise it must poll. */
  readonly listens?: boolean;
  /** Whether it reads parts of other workers' jobs. */
  readonly helps?: boolean;
  readonly leaseSeconds?: number;
  readonly maxLosses?: number;
  readonly concurrency?: number;
  readonly smallConcurrency?: number;
  readonly observer?: WorkerObserver;
  readonly tracer?: Tracer;
}

/** A worker that runs real jobs, one at a time unless stated otherwise, until it is stopped. */
export function startJobWorker(imports: Imports, options: JobWorkerOptions = {}): JobWorker {
  const { listens = true, leaseSeconds = 10, maxLosses = 5 } = options;
  const { concurrency = 1, smallConcurrency = 0 } = options;
  const logged: string[] = [];
  const log = createLogger({
    level: 'info',
    role: 'worker',
    secrets: [],
    fields: currentSpanIds,
    write: (line) => logged.push(line),
  });
  const parts = { ...imports, log, ...options.instead };
  const worker = createWorker({
    ...(options.observer && { observer: options.observer }),
    tracer: options.tracer ?? null,
    records: imports.records,
    kinds: jobKinds(parts),
    ...(options.helps && {
      helper: createPartReader({ ...parts, leaseSeconds, kinds: partKinds(parts) }),
    }),
    log,
    concurrency,
    smallConcurrency,
    leaseSeconds,
    maxLosses,
    // Each poll costs a few milliseconds of CPU, here and in PostgreSQL.
    pollMs: listens ? 200 : 20,
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
