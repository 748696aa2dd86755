import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';
import { type Manifest, renderChart } from './support/helm.ts';

const root = resolve(import.meta.dirname, '..');
const chart = join(root, 'deploy/helm/tributary');
const everything = {
  imagePullSecrets: [{ name: 'registry' }],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  worker: { autoscaling: { enabled: true } },
  ingress: { enabled: true },
};

describe.each([
  ['its own values', {}],
  ['everything switched on', everything],
])('the chart with %s', (_, values) => {
  const manifests = renderChart(chart, values);
  const containers: { args: string[]; env: { name: string }[] }[] = manifests.flatMap(
    ({ spec }) => spec.template?.spec.containers ?? [],
  );

  test('sets only settings that exist', () => {
    const names = containers.flatMap(({ env }) => env.map(({ name }) => name));
    expect(names.filter((name) => !(name in settings))).toEqual([]);
  });

  test('selects the pods that it makes', () => {
    const pods = manifests.flatMap(({ spec }) => spec.template?.metadata.labels ?? []);
    const selectors = manifests
      .filter(({ kind }) => kind !== 'Job' && kind !== 'Ingress')
      .flatMap(({ spec }) => spec.selector?.matchLabels ?? spec.selector ?? []);
    expect(selectors.length).toBeGreaterThan(4);
    for (const selector of selectors) {
      const selected = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      );
      expect(selected).toHaveLength(1);
    }
  });

  test('runs the migration first, then the API and the workers', () => {
    expect(containers.map(({ args }) => args.slice(0, 2).join(' '))).toEqual([
      'tributary api',
      'tributary migrate',
      'tributary worker',
    ]);
    const job = manifests.find(({ kind }) => kind === 'Job');
    expect(job?.metadata).toMatchObject({
      annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' },
    });
  });
});

test('workers are scaled by the queue instead of a fixed number', () => {
  const [fixed, scaled] = [{}, everything].map((values) => renderChart(chart, values));
  const worker = (manifests: Manifest[] | undefined) =>
    manifests?.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'my-worker');
  expect(worker(fixed)?.spec.replicas).toBe(2);
  expect(worker(scaled)?.spec).not.toHaveProperty('replicas');
  const scaler = scaled?.find(({ kind }) => kind === 'HorizontalPodAutoscaler');
  expect(scaler?.spec.scaleTargetRef.name).toBe('my-worker');
  expect(scaler?.spec.metrics[0].external.metric.name).toBe('tributary_pending_jobs');
});

test('all manifests are valid Kubernetes, and an unknown field would be found', () => {
  const manifests = [{}, everything].flatMap((values) => renderChart(chart, values));
  const api = manifests.find(({ kind }) => kind === 'Deployment')!;
  const misspelt = { ...api, spec: { ...api.spec, replica: 2 } };
  expect(problemsOf([...manifests, misspelt])).toEqual([
    expect.stringMatching(/replica\W+ does not exist in type/),
  ]);
});

test('the chart has the version of the service', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const text = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
  expect(text).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
});

/** Checked as typed literals, because TypeScript reports unknown fields of those. */
function problemsOf(manifests: readonly Manifest[]): string[] {
  const file = join(root, 'test/rendered-chart.ts');
  const declarations = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    return `import type { I${kind} as K${index} } from 'kubernetes-models/${apiVersion}';\nexport const m${index}: K${index} = ${JSON.stringify(manifest, null, 1)};`;
  });
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile;
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, declarations.join('\n'), ts.ScriptTarget.ES2024)
      : readSource(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
