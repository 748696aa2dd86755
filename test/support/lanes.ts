import { sql } from 'kysely';
import { queueImport } from '../../src/actions/queue-import.ts';
import { createLogger } from '../../src/config/logger.ts';
import { createWorker, type WorkerOptions } from '../../src/jobs/worker/worker-loop.ts';
import { openDatabase } from '../../src/records/database/connection.ts';
import { listenForJobs } from '../../src/records/queue/job-notices.ts';
import { createRecords } from '../../src/records/records.ts';
import { type FreshRecords, freshRecords } from './database.ts';
import { type MarkingSteps, makeMarks, markingKind } from './marking-kind.ts';
import { testSealing } from './sealing.ts';

export interface Lanes extends FreshRecords {
  partner(): Promise<number>;
  submit(partnerId: number): Promise<number>;
  job(jobId: number): Promise<JobRow>;
  /** The committed jobs, once per commit, in the order of the commits. */
  marks(): Promise<number[]>;
  /** Makes all scheduled retries due. */
  skipWaits(): Promise<void>;
  /** Starts a worker in this process with its own connections. */
  startWorker(options?: LaneWorkerOptions): LaneWorker;
}

interface JobRow {
  readonly state: string;
  readonly attempt: number;
  readonly losses: number;
}

interface LaneWorkerOptions
  extends MarkingSteps,
    Partial<
      Pick<
        WorkerOptions,
        'records' | 'concurrency' | 'smallConcurrency' | 'pollMs' | 'leaseSeconds'
      >
    > {
  /** The address of the database, if it differs from the test's own. */
  readonly url?: string;
  /** Whether it is notified of submissions; otherwise it must poll. */
  readonly listens?: boolean;
}

interface LaneWorker extends AsyncDisposable {
  /** The log lines. */
  readonly logged: readonly string[];
  /** Resolves when it is notified from then on. */
  readonly listening: Promise<void>;
  wake(cancelledJob?: number): void;
  stop(): Promise<void>;
}

export const maxLosses = 5;

/** The timeout for events that happen soon, even on a busy machine. */
export const patience = { timeout: 60_000, interval: 25 };

/** New lanes, whose jobs record a mark. */
export async function freshLanes(): Promise<Lanes> {
  const fresh = await freshRecords();
  const { db, records } = fresh;
  await makeMarks(db);

  return {
    ...fresh,
    async partner() {
      const { partnerId } = await records.partners.create('acme');
      return partnerId;
    },

    submit: (partnerId) =>
      queueImport(records, partnerId, { filePath: 'devices.csv', pathType: 0, keyType: 0 }),

    job: (jobId) =>
      db
        .selectFrom('job')
        .select(['state', 'attempt', 'losses'])
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow(),

    async marks() {
      const { rows } = await sql<{ id: number }>`
        select job_id as id from mark order by mark_id
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    async skipWaits() {
      await sql`update job set available_at = now() where state = 'pending'`.execute(db);
    },

    startWorker: (options = {}) => startWorker(fresh, options),
  };
}

function startWorker(fresh: FreshRecords, options: LaneWorkerOptions): LaneWorker {
  const { url = fresh.url, listens = false, concurrency = 1 } = options;
  const database = { url, schema: fresh.schema };
  const { smallConcurrency = 0 } = options;
  const maxConnections = concurrency + smallConcurrency + 2;
  const db = openDatabase({ ...database, maxConnections });
  const logged: string[] = [];
  const kind = markingKind(db, options);
  const worker = createWorker({
    records: options.records ?? createRecords(db, testSealing),
    kinds: { import: kind, deletion: kind, audience: kind },
    log: createLogger({
      level: 'info',
      role: 'worker',
      secrets: [],
      write: (line) => logged.push(line),
    }),
    concurrency,
    smallConcurrency,
    // Long enough not to expire on a busy machine; tests of lost leases set it lower.
    leaseSeconds: options.leaseSeconds ?? 10,
    maxLosses,
    pollMs: options.pollMs ?? (listens ? 200 : 40),
  });
  const stopping = new AbortController();
  const { promise: listening, resolve: isListening } = Promise.withResolvers<void>();
  const onNotice: typeof worker.wake = (notice) => {
    isListening();
    worker.wake(notice);
  };
  const ended = Promise.all([
    worker.run(stopping.signal),
    listens ? listenForJobs(database, onNotice, stopping.signal) : undefined,
  ]).finally(() => db.destroy());
  async function stop(): Promise<void> {
    stopping.abort();
    await ended;
  }
  return { wake: worker.wake, stop, logged, listening, [Symbol.asyncDispose]: stop };
}
