import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { queueImport } from '../src/actions/queue-import.ts';
import { createApiMetrics } from '../src/metrics/api-metrics.ts';
import { createProcessMetrics } from '../src/metrics/process-metrics.ts';
import { createServiceMetrics } from '../src/metrics/service-metrics.ts';
import { createWorkerMetrics } from '../src/metrics/worker-metrics.ts';
import { freshRecords } from './support/database.ts';
import { metricsDocument } from './support/metrics-document.ts';
import { machineHas } from './support/requirements.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

type Texts = Record<'process' | 'api' | 'service' | 'worker', string>;

/** The text of both roles' metrics, with at least one series of each. */
async function servedMetrics(): Promise<Texts> {
  await using database = await freshRecords();
  const { records } = database;
  const { partnerId } = await records.partners.create('acme');
  await queueImport(records, partnerId, { filePath: 'a', pathType: 0, keyType: 0 });
  const poolUse = () => ({ max: 1, open: 0, idle: 0, waiting: 0 });
  const diskSpace = async () => ({ size: 1, free: 1, reserved: 0 });
  const places = () => ({ any: { running: 0, most: 1 }, small: { running: 0, most: 1 } });
  const options = { deletionHours: 24, backupTarget: null, dropDeadlineDays: 45 };
  const api = createApiMetrics(
    async () => ({ database: true }),
    async () => ({ 'clickhouse-1:8123': true }),
  );
  api.requestFinished({ method: 'GET', route: '/', status: 200, seconds: 1 });
  api.storageRequestFinished({ method: 'PUT', status: 200, seconds: 1 });
  const worker = createWorkerMetrics({ places });
  worker.attemptEnded('import', 'ended', 1);
  worker.taskEnded('universe fold', 'succeeded');
  return {
    process: await createProcessMetrics({ poolUse, diskSpace }).registry.metrics(),
    api: await api.registry.metrics(),
    service: await createServiceMetrics(records, options).metrics(),
    worker: await worker.registry.metrics(),
  };
}

/** The names of series: a histogram has three. */
function seriesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

function namedIn(text: string): string[] {
  const names = text.matchAll(/\b(?:tributary|process|nodejs)_[a-z0-9_]+\b/g);
  return [...new Set([...names].map(([name]) => name))];
}

const alerts = read('deploy/prometheus/alerts.yaml');
const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

test('docs/metrics.md lists every metric (-u writes it)', async () => {
  await expect(metricsDocument(await servedMetrics())).toMatchFileSnapshot('../docs/metrics.md');
});

test('names follow the conventions of Prometheus', async () => {
  const texts = Object.values(await servedMetrics()).join('');
  for (const [, name = '', type] of texts.matchAll(/^# TYPE (tributary_\w+) (\w+)$/gm)) {
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours|kb|mb|mib|percent)(_|$)/);
  }
});

test('every metric that the alerts, their tests and the dashboard name exists', async () => {
  const known = new Set(Object.values(await servedMetrics()).flatMap(seriesIn));
  const files = ['prometheus/alerts.yaml', 'prometheus/alerts.test.yaml', 'grafana/tributary.json'];
  for (const file of files) {
    const named = namedIn(read(join('deploy', file)));
    expect(named.length).toBeGreaterThan(10);
    expect([file, named.filter((name) => !known.has(name))]).toEqual([file, []]);
  }
});

test('every alert has a runbook in docs/operating.md and a test that makes it fire', () => {
  const headings = [...read('docs/operating.md').matchAll(/^### (Tributary\w+)$/gm)];
  expect(headings.map(([, name]) => name)).toEqual(alertNames);
  const links = [...alerts.matchAll(/runbook_url: docs\/operating\.md#(\w+)/g)];
  expect(links.map(([, anchor]) => anchor)).toEqual(alertNames.map((name) => name.toLowerCase()));
  const tested = read('deploy/prometheus/alerts.test.yaml').matchAll(/alertname: (\w+)/g);
  expect([...tested].map(([, name]) => name)).toEqual(alertNames);
});

test('the dashboard has expressions in every panel, and no two panels in one place', () => {
  const { panels } = JSON.parse(read('deploy/grafana/tributary.json'));
  const places = new Set<string>();
  for (const { type, title, targets, gridPos } of panels) {
    places.add(`${gridPos.x} ${gridPos.y}`);
    if (type !== 'row') expect([title, targets.length > 0]).toEqual([title, true]);
  }
  expect(places.size).toBe(panels.length);
});

describe.runIf(machineHas('prometheus'))('promtool', () => {
  const promtool = (...args: string[]) =>
    execFileSync('/usr/bin/promtool', args, {
      cwd: join(root, 'deploy/prometheus'),
      encoding: 'utf8',
      stdio: 'pipe',
    });

  test('accepts the rules and the example of a configuration', () => {
    expect(promtool('check', 'rules', 'alerts.yaml')).toContain(`${alertNames.length} rules found`);
    expect(promtool('check', 'config', 'prometheus.yaml')).toContain('SUCCESS');
  });

  test('makes every alert fire', () => {
    expect(promtool('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
  });

  test('understands every expression of the dashboard', () => {
    const { panels } = JSON.parse(read('deploy/grafana/tributary.json'));
    const queries = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets);
    const rules = queries.map(({ expr }: { expr: string }, n: number) => ({
      record: `query_${n}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    // JSON is YAML.
    const text = JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
    const folder = mkdtempSync(join(tmpdir(), 'tributary-dashboard-'));
    writeFileSync(join(folder, 'rules.yaml'), text);
    try {
      const checked = promtool('check', 'rules', join(folder, 'rules.yaml'));
      expect(checked).toContain(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
