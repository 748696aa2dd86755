import { expect, test } from 'vitest';
import { createWorkerMetrics } from '../../../src/metrics/worker-metrics.ts';
import { freshImports } from '../../support/imports.ts';
import { startJobWorker } from '../../support/job-worker.ts';
import { metricValues } from '../../support/metric-values.ts';

const places = { any: { running: 1, most: 4 }, small: { running: 0, most: 8 } };

test('rows, bytes, attempts and maintenance are counted', async () => {
  await using imports = await freshImports();
  const metrics = createWorkerMetrics({ places: () => places });
  const values = async () => metricValues(await metrics.registry.metrics());
  const acme = await imports.partner();
  const attributeId = await acme.attribute();
  // More than 5% of the rows may not be invalid.
  const lines = Array.from(
    { length: 99 },
    (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')},${attributeId}`,
  );
  const text = [...lines, 'invalid,1', ''].join('\n');
  await acme.put('a.csv', text);
  const first = await acme.queue('a.csv', 0);
  const missing = await acme.queue('missing.csv', 0);
  {
    const instead = { intake: metrics.countIntake(imports.intake) };
    await using _worker = startJobWorker(imports, { instead, observer: metrics });
    await expect.poll(async () => (await acme.log(missing))?.state).toBe('failed');
  }
  expect(await acme.log(first)).toMatchObject({ state: 'done' });
  metrics.taskEnded('universe fold', 'succeeded');
  metrics.taskEnded('universe fold', 'failed');
  metrics.jobLost({ jobId: first, kind: 'import', losses: 1, state: 'pending' });
  expect(await values()).toMatchObject({
    'tributary_rows_read_total{kind="import"}': 100,
    'tributary_rows_read_total{kind="audience"}': 0,
    'tributary_rows_rejected_total{kind="import"}': 1,
    'tributary_bytes_read_total{kind="import"}': text.length,
    'tributary_job_attempts_total{kind="import",outcome="ended"}': 2,
    'tributary_job_attempts_total{kind="import",outcome="failed"}': 0,
    'tributary_job_attempt_duration_seconds_count{kind="import"}': 2,
    'tributary_job_losses_total{outcome="requeued"}': 1,
    'tributary_job_losses_total{outcome="failed"}': 0,
    'tributary_worker_jobs{size="any"}': 1,
    'tributary_worker_places{size="small"}': 8,
    'tributary_maintenance_runs_total{task="universe fold",outcome="succeeded"}': 1,
    'tributary_maintenance_runs_total{task="universe fold",outcome="failed"}': 1,
  });
});
