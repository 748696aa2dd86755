import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { JobKind } from '../domain/job.ts';
import type { Intake } from '../intake/intake.ts';
import type { TaskOutcome } from '../jobs/worker/maintenance.ts';
import { attemptOutcomes, type WorkerObserver } from '../jobs/worker/worker-observer.ts';
import type { LostJob } from '../records/queue/jobs.ts';
import { countIntake, type IntakeCounts } from './count-intake.ts';

/** What a worker process measures about its jobs. */
export interface WorkerMetrics extends WorkerObserver {
  readonly registry: Registry;
  /** The same intake. What it reads is counted. */
  countIntake(intake: Intake): Intake;
  taskEnded(task: string, outcome: TaskOutcome): void;
  webhookAttempted(outcome: 'delivered' | 'failed'): void;
}

export interface WorkerMetricsOptions {
  /** Jobs that run at the moment, and how many may. */
  readonly places: () => Readonly<Record<'any' | 'small', { running: number; most: number }>>;
}

const kinds: readonly JobKind[] = ['import', 'deletion', 'audience'];
const attemptBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200];

export function createWorkerMetrics({ places }: WorkerMetricsOptions): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counts = addIntakeCounts(registry);
  addPlaces(registry, places);
  const attempts = new Counter({
    name: 'tributary_job_attempts_total',
    help: 'Attempts at jobs by kind and outcome. `ended` includes jobs that failed because of their files.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'tributary_job_attempt_duration_seconds',
    help: 'Duration of attempts at jobs.',
    labelNames: ['kind'],
    buckets: attemptBuckets,
    registers,
  });
  const losses = new Counter({
    name: 'tributary_job_losses_total',
    help: 'Jobs that lost their worker and were queued again, or failed because that happened too often. Counted by the worker that found it.',
    labelNames: ['outcome'],
    registers,
  });
  const tasks = new Counter({
    name: 'tributary_maintenance_runs_total',
    help: 'Runs of maintenance tasks.',
    labelNames: ['task', 'outcome'],
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'tributary_maintenance_last_success_timestamp_seconds',
    help: 'When each maintenance task last succeeded in this process.',
    labelNames: ['task'],
    registers,
  });
  const webhooks = new Counter({
    name: 'tributary_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks.',
    labelNames: ['outcome'],
    registers,
  });
  // Series that exist from the start, so that the first event counts as an increase.
  for (const kind of kinds) {
    for (const outcome of attemptOutcomes) attempts.inc({ kind, outcome }, 0);
  }
  for (const outcome of ['requeued', 'failed']) losses.inc({ outcome }, 0);
  for (const outcome of ['delivered', 'failed']) webhooks.inc({ outcome }, 0);

  return {
    registry,
    countIntake: (intake) => countIntake(intake, counts),
    attemptEnded(kind, outcome, seconds) {
      attempts.inc({ kind, outcome });
      durations.observe({ kind }, seconds);
    },
    jobLost: ({ state }: LostJob) =>
      losses.inc({ outcome: state === 'failed' ? 'failed' : 'requeued' }),
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    taskEnded(task, outcome) {
      for (const each of ['succeeded', 'failed'] satisfies TaskOutcome[]) {
        tasks.inc({ task, outcome: each }, each === outcome ? 1 : 0);
      }
      if (outcome === 'succeeded') lastSuccess.set({ task }, Date.now() / 1000);
    },
  };
}

function addIntakeCounts(registry: Registry): Record<'import' | 'audience', IntakeCounts> {
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['kind'], registers: [registry] });
  const bytes = counter(
    'tributary_bytes_read_total',
    'Stored, that is compressed, bytes of files read by jobs.',
  );
  const rows = counter('tributary_rows_read_total', 'Rows read by jobs, including rejected ones.');
  const rejects = counter('tributary_rows_rejected_total', 'Rows that jobs rejected.');
  const of = (kind: 'import' | 'audience'): IntakeCounts => {
    for (const each of [bytes, rows, rejects]) each.inc({ kind }, 0);
    return {
      addBytes: (count) => bytes.inc({ kind }, count),
      addRows: (count) => rows.inc({ kind }, count),
      addRejects: (count) => rejects.inc({ kind }, count),
    };
  };
  return { import: of('import'), audience: of('audience') };
}

function addPlaces(registry: Registry, places: WorkerMetricsOptions['places']): void {
  const gauge = (name: string, help: string, member: 'running' | 'most') =>
    new Gauge({
      name,
      help,
      labelNames: ['size'],
      registers: [registry],
      collect() {
        for (const [size, place] of Object.entries(places())) this.set({ size }, place[member]);
      },
    });
  gauge(
    'tributary_worker_jobs',
    'Jobs that the worker runs, in slots for jobs of any size and for small ones.',
    'running',
  );
  gauge('tributary_worker_places', 'How many jobs the worker can run at the same time.', 'most');
}
