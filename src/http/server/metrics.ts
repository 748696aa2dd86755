import { createServer } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Records } from '../../records/records.ts';
import type { App } from './app-types.ts';
import { onResponseFinished } from './response-finished.ts';

export interface Metrics {
  /** Measures every request of the app. */
  observe(app: App): void;
  /** Serves `/metrics` for Prometheus on a port of its own until disposed. */
  serve(host: string, port: number): Promise<AsyncDisposable>;
}

export function createMetrics(records: Records, backupTarget: string | null): Metrics {
  const processMetrics = new Registry();
  collectDefaultMetrics({ register: processMetrics });
  const durations = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Duration of requests by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [processMetrics],
  });
  const queueMetrics = queueRegistry(records);
  addBackupMetrics(queueMetrics, records, backupTarget);

  return {
    observe(app) {
      app.addHook('onRequest', async (request, reply) => {
        onResponseFinished(reply, (status) => {
          const route = request.routeOptions.url ?? 'none';
          const labels = { method: request.method, route, status };
          durations.observe(labels, reply.elapsedTime / 1000);
        });
      });
    },

    async serve(host, port) {
      const server = createServer(async (request, response) => {
        if (request.method !== 'GET' || request.url !== '/metrics') {
          response.writeHead(404).end('Not found. Use GET /metrics.\n');
          return;
        }
        // Without the database, the metrics of this process are still served.
        const queue = await queueMetrics.metrics().catch(() => '');
        const text = `${await processMetrics.metrics()}${queue}`;
        response.writeHead(200, { 'content-type': processMetrics.contentType }).end(text);
      });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      return {
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
}

/** Queue metrics, read from the database at each scrape. */
function queueRegistry(records: Records): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'tributary_jobs',
    help: 'Jobs by state. Ended jobs count also after they are deleted.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { state, jobs } of await records.jobs.counts()) this.set({ state }, jobs);
    },
  });
  new Gauge({
    name: 'tributary_queue_oldest_age_seconds',
    help: 'Age of the oldest job that is pending or running; 0 if there is none.',
    registers: [registry],
    async collect() {
      const lanes = await records.jobs.depths();
      const ages = lanes.map((lane) => Date.now() - lane.oldestSubmittedAt.getTime());
      this.set(Math.max(0, ...ages) / 1000);
    },
  });
  return registry;
}

/** The age and outcome of backups, read from the database at each scrape. */
function addBackupMetrics(
  registry: Registry,
  { backups }: Pick<Records, 'backups'>,
  target: string | null,
): void {
  type Latest = Awaited<ReturnType<typeof backups.latest>>;
  const add = (name: string, help: string, read: (latest: Latest) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(read(await backups.latest(target)));
      },
    });
  add(
    'tributary_backup_age_seconds',
    'Age of the newest backup. Infinite if there is none.',
    ({ success }) =>
      Math.max(0, Date.now() - (success?.startedAt?.getTime() ?? Number.NEGATIVE_INFINITY)) / 1000,
  );
  add(
    'tributary_backup_bytes',
    'Size of the newest backup, with the files that it shares with others.',
    ({ success }) => success?.bytes ?? 0,
  );
  add(
    'tributary_backup_failed',
    '1 if the last attempt to make a backup failed, otherwise 0.',
    ({ attempt }) => (attempt?.state === 'failed' ? 1 : 0),
  );
}
