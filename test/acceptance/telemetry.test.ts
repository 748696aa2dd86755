import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { machineHas } from '../support/requirements.ts';
import { adminTokenOf, apiOf } from './api.ts';
import { type CommandResult, tributary } from './command-line.ts';
import { checkout, type Service, startService, temporaryFolder, until } from './service.ts';

let running: AsyncDisposableStack;
let folder: string;
let service: Service;
let receiver: OtlpReceiver;
let ports: { api: number; worker: number };

/** A whole service whose disk is always too full. */
beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  folder = starting.use(await temporaryFolder()).path;
  receiver = starting.use(await startOtlpReceiver());
  ports = { api: await freePort(), worker: await freePort() };
  service = starting.use(
    await startService({
      dataDir: join(folder, 'data'),
      env: {
        TRIBUTARY_METRICS_PORT: String(ports.api),
        TRIBUTARY_WORKER_METRICS_PORT: String(ports.worker),
        TRIBUTARY_DISK_RESERVE: '900TB',
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      },
    }),
  );
  running = starting.move();
});
afterAll(() => running?.disposeAsync());

describe.runIf(machineHas('prometheus'))('a real Prometheus', () => {
  test('scrapes both roles, its alerts fire, and the dashboard has data', async () => {
    await makeTraffic();
    const closed = await freePort();
    await using prometheus = await startPrometheus([ports.api, ports.worker, closed]);
    const alerts = [
      // Not TributaryBackupOld: the service has no backup, but also no target for one.
      `TributaryDiskBelowReserve 127.0.0.1:${ports.api}`,
      `TributaryDiskBelowReserve 127.0.0.1:${ports.worker}`,
      `TributaryDown 127.0.0.1:${closed}`,
    ];
    // On a busy machine a role may miss a scrape, and its alerts change for a moment.
    await expect.poll(prometheus.firing, { timeout: 180_000 }).toEqual(alerts.sort());
    // No job is open.
    const expected = ['Waiting jobs by partner', 'Oldest job by partner'];
    await expect.poll(() => emptyPanels(prometheus), { timeout: 90_000 }).toEqual(expected);
  });

  test('fires every alert for a service in which everything is wrong', async () => {
    const rules = await readFile(join(checkout, 'deploy/prometheus/alerts.yaml'), 'utf8');
    const names = Array.from(rules.matchAll(/alert: (\w+)/g), ([, name]) => name!);
    expect(names.length).toBeGreaterThan(10);
    await using sick = await startSickService();
    await using prometheus = await startPrometheus([sick.port, await freePort()]);
    const firing = async () => {
      const alerts = await prometheus.firing();
      return [...new Set(alerts.map((alert) => alert.split(' ')[0]))];
    };
    await expect.poll(firing, { timeout: 180_000 }).toEqual(names.sort());
  });
});

/** A request to each of the two ports, and a job. */
async function makeTraffic(): Promise<void> {
  const api = apiOf(service);
  const { apiKey } = await api.createPartner(await adminTokenOf(join(folder, 'data')), 'watched');
  const { import_log_id } = await api.queueImport(apiKey, 'missing.csv', 1);
  await api.ended(apiKey, import_log_id);
  await fetch(service.s3Url);
}

/** The panels of the dashboard that have a query without a result. */
async function emptyPanels({ query }: { query(expr: string): Promise<unknown[]> }) {
  const text = await readFile(join(checkout, 'deploy/grafana/tributary.json'), 'utf8');
  const { panels }: { panels: { title: string; targets?: { expr: string }[] }[] } =
    JSON.parse(text);
  const empty: string[] = [];
  for (const { title, targets = [] } of panels) {
    const found = await Promise.all(targets.map(({ expr }) => query(expr)));
    if (found.some((series) => series.length === 0)) empty.push(title);
  }
  return empty;
}

/** Serves only metrics. Its counters grow with each scrape. */
async function startSickService() {
  let scrapes = 0;
  const server = createServer((_, response) => response.end(sickMetrics(++scrapes)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const sickMetrics = (scrapes: number) => `
tributary_dependency_up{dependency="storage"} 0
tributary_http_request_duration_seconds_count{status="500"} ${10 * scrapes}
tributary_http_request_duration_seconds_bucket{route="/a",le="1"} 0
tributary_http_request_duration_seconds_bucket{route="/a",le="5"} ${10 * scrapes}
tributary_http_request_duration_seconds_bucket{route="/a",le="+Inf"} ${10 * scrapes}
tributary_jobs{state="pending"} 3
tributary_jobs{state="running"} 0
tributary_lane_oldest_age_seconds{partner="acme"} 7200
tributary_job_losses_total ${scrapes}
tributary_maintenance_last_success_timestamp_seconds{task="sweep"} 1
tributary_fold_backlog_runs 2000
tributary_outdated_reports 5
tributary_compaction_debt_runs 2000
tributary_damaged_runs 1
tributary_deletion_slack_seconds 0
tributary_deletion_limit_seconds 100
tributary_privacy_oldest_request_seconds 200
tributary_disk_free_bytes{disk="full"} 1
tributary_disk_reserve_bytes{disk="full"} 2
tributary_disk_free_bytes{disk="filling"} ${1e15 - 1e11 * scrapes}
tributary_disk_reserve_bytes{disk="filling"} 2
tributary_database_waiting 4
tributary_s3_client_errors_total{bucket="shared",class="timeout"} ${100 * scrapes}
tributary_backup_age_seconds 300000
tributary_backup_failed 1
tributary_drop_slack_seconds 100
tributary_drop_limit_seconds 1000
tributary_drop_failed 1
tributary_webhook_overdue_seconds 3600
tributary_webhooks_disabled 1
tributary_warehouse_replica_up{server="b"} 0
`;

test('a job of a whole service is one trace over two processes', async () => {
  const token = await adminTokenOf(join(folder, 'data'));
  const api = apiOf(service);
  const { apiKey } = await api.createPartner(token, 'acme');
  const { import_log_id } = await api.queueImport(apiKey, 'missing.csv', 1);
  const job = await until('the trace of the job', async () =>
    receiver.spans.find(
      ({ name, attributes }) =>
        name === 'job import' && attributes['tributary.job.id'] === import_log_id,
    ),
  );
  const post = await until('the trace of the request', async () =>
    receiver.spans.find(({ spanId }) => spanId === job.parentSpanId),
  );
  expect(post).toMatchObject({ name: 'POST /v1/marketplace/import', traceId: job.traceId });
  expect([post.resource['tributary.role'], job.resource['tributary.role']]).toEqual([
    'api',
    'worker',
  ]);
  await until('log lines of both with the trace', async () => {
    const lines = service.logged().split('\n');
    const traced = lines.filter((line) => line.includes(`"trace_id":"${job.traceId}"`));
    return ['api', 'worker'].every((role) =>
      traced.some((line) => line.includes(`"role":"${role}"`)),
    );
  });
});

test('the doctor finds the full disk, from the machine and over the API', async () => {
  const env = { TRIBUTARY_DATA_DIR: join(folder, 'data'), TRIBUTARY_DISK_RESERVE: '900TB' };
  const [here, asked, plain] = await Promise.all([
    tributary(service, ['doctor', '--deep', '--json'], env),
    tributary(service, ['doctor', '--service', '--json'], env),
    tributary(service, ['doctor'], env),
  ]);
  for (const result of [here, asked]) {
    expect(result).toMatchObject({ code: 2, stderr: '' });
    const failed = failuresIn(result);
    expect(failed).toEqual(['disk']);
  }
  expect(plain.code).toBe(2);
  expect(plain.stdout).toMatch(/^FAILURE {2}disk +.* uploads and loads are refused\n +Free space/m);
  expect(plain.stdout).toMatch(/^ok +database +PostgreSQL 18$/m);
  expect(plain.stdout).toMatch(/Failures: 1\. Warnings: \d\.\n$/);
});

/** What failed, without the speed of this machine's disk. */
function failuresIn({ stdout }: CommandResult): string[] {
  const { level, findings } = JSON.parse(stdout);
  expect(level).toBe('failure');
  return findings
    .filter((each: { level: string; check: string }) => each.level === 'failure')
    .map(({ check }: { check: string }) => check)
    .filter((check: string) => check !== 'fsync');
}

/** Runs Debian's Prometheus with the alerts of this repository, which do not wait before they fire. */
async function startPrometheus(targets: readonly number[]) {
  const home = await mkdtemp(join(folder, 'prometheus-'));
  const rules = await readFile(join(checkout, 'deploy/prometheus/alerts.yaml'), 'utf8');
  await writeFile(join(home, 'alerts.yaml'), rules.replaceAll(/\bfor: \w+/g, 'for: 0s'));
  const port = await freePort();
  // JSON is YAML.
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [
      {
        job_name: 'tributary',
        static_configs: [{ targets: targets.map((each) => `127.0.0.1:${each}`) }],
      },
    ],
  };
  await writeFile(join(home, 'prometheus.yaml'), JSON.stringify(config));
  const child = spawn(
    '/usr/bin/prometheus',
    [
      `--config.file=${join(home, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(home, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  return {
    /** The names and instances of the alerts that fire, in order. */
    async firing(): Promise<string[]> {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => null);
      if (!response?.ok) return [];
      const { data } = (await response.json()) as {
        data: { alerts: { state: string; labels: Record<string, string> }[] };
      };
      return data.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => [labels.alertname, labels.instance].filter(Boolean).join(' '))
        .sort();
    },
    /** The series that a query of the dashboard finds. */
    async query(expr: string): Promise<unknown[]> {
      const query = expr.replaceAll('$__rate_interval', '1m');
      const address = `http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`;
      const { data } = (await (await fetch(address)).json()) as { data: { result: unknown[] } };
      return data.result;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
