import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { machineHas } from './test/support/requirements.ts';

/** Of all services that tests start. They share the cache, so each file is compiled only once. */
const env = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'tributary-tests-compiled'),
  // Most tests compare counts with a model. Those of protection say so.
  TRIBUTARY_DISCLOSURE: 'exact',
  // Below the checkout, because a few packages stay outside of it.
  TESTED_PROGRAM: join(import.meta.dirname, `node_modules/.tested-${process.pid}`),
};

/**
 * Node imports the files itself, as it does in the service. It loads them in half the time of Vite, which
 * replaces each use of an import.
 */
const experimental = { viteModuleRunner: false, nodeLoader: false };

const programSetup = 'test/support/program-setup.ts';
const setupFiles = ['test/support/lowest-priority.ts', 'test/support/compile-cache.ts'];

/**
 * A test that hangs must end. No other test takes as long, even on a machine three times slower than the slowest so
 * far. With TRIBUTARY_SOAK=1 random tests run many more rounds, each test for an hour at most.
 */
const testTimeout = process.env.TRIBUTARY_SOAK === '1' ? 3_600_000 : 300_000;

/** The tests that measure coverage. Other tests run faster without it. */
const measuring = [
  'src/{domain,intake,jobs}/**/!(bomb|coverage).test.ts',
  'test/integration/jobs/{audience,copy,import,privacy}/!(import-fuzz).test.ts',
  'test/integration/jobs/worker/{delete-removed,expire-uploads,worker-loop}.test.ts',
  'test/integration/records/{import-files,import-rejects,lanes}.test.ts',
];

/** Tests that take long. */
const long = [
  'test/contract/*.test.ts',
  'test/integration/jobs/audience/polling-audience.test.ts',
  'test/integration/jobs/import/import-order.test.ts',
  'test/integration/warehouse/clickhouse/{current-server,replicas}.test.ts',
];

/** More than twice the cores of the smallest machine, because many tests wait for timers and processes. */
const maxWorkers = 5;

/** Tests of parts of the service, inside the test process. */
const parts: TestProjectInlineConfiguration['test'] = {
  globalSetup: ['test/support/global-setup.ts', programSetup],
  setupFiles,
  maxWorkers,
  // No test leaves state behind, so the files of one worker can share loaded modules.
  isolate: false,
};

/** Tests of whole services, each with several processes. */
const wholeServices: TestProjectInlineConfiguration['test'] = {
  setupFiles,
  maxWorkers,
  maxConcurrency: 3,
  isolate: false,
};

/** Only for services that use external servers instead of their data dir. */
const outside = 'test/acceptance/outside.test.ts';

/**
 * Their results come from the API, PostgreSQL and the reading of files alone, which are the same with any
 * servers: the output of commands, rate limits, what a file may contain, its problems and rejected rows, and
 * which requests are refused.
 */
const sameOnAllServers =
  'test/acceptance/*/{access,clients,command-line,file-layouts,logs,queueing,quick-start,rate-limit,reports,requests}.test.ts';

/** Tests that measure time, so no other test may run beside them. Services have their usual priorities. */
const timed = ['test/acceptance/{lifecycle,stopping,tenants/*,workers-apart}.test.ts'];

/**
 * Runs most marketplace and audience suites again on services with external servers: PostgreSQL, OpenStack
 * Swift, and ClickHouse with two shards.
 */
const cluster: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    ...wholeServices,
    name: 'cluster',
    globalSetup: ['test/support/global-setup.ts', programSetup, 'test/support/cluster-setup.ts'],
    include: ['test/acceptance/{marketplace,audience}/*.test.ts', outside],
    exclude: [sameOnAllServers],
  },
};

export default defineConfig({
  test: {
    env,
    experimental,
    testTimeout,
    hookTimeout: testTimeout,
    // Vitest's default of one second is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      enabled: true,
      provider: 'custom',
      customProviderModule: 'test/support/coverage.ts',
      include: ['src/domain/**', 'src/intake/**', 'src/jobs/**'],
      reporter: ['text-summary'],
      thresholds: {
        'src/domain/**': { lines: 90 },
        'src/intake/**': { lines: 90 },
        'src/jobs/**': { lines: 90 },
      },
    },
    // Projects with the same `groupOrder` run together, ordered by name. The quick tests of `parts` come
    // last, so that no core is idle for long.
    projects: [
      {
        extends: true,
        test: {
          ...parts,
          name: 'long parts',
          include: long,
        },
      },
      {
        extends: true,
        test: {
          ...parts,
          name: 'measured parts',
          env: { MEASURES_COVERAGE: '1' },
          include: measuring,
          exclude: long,
        },
      },
      {
        extends: true,
        test: {
          ...parts,
          name: 'parts',
          include: [
            '{demo,src,console/src,packages/*/src}/**/*.test.ts',
            'test/{*,integration/**/*}.test.ts',
          ],
          exclude: [...long, ...measuring],
        },
      },
      {
        extends: true,
        test: {
          ...wholeServices,
          name: 'acceptance',
          globalSetup: ['test/support/global-setup.ts', programSetup],
          include: ['test/{acceptance,torture}/**/*.test.ts'],
          exclude: [...timed, outside],
        },
      },
      ...(machineHas('clickhouse-server', 'swift') ? [cluster] : []),
      {
        extends: true,
        test: {
          name: 'timed',
          globalSetup: ['test/support/global-setup.ts', programSetup],
          include: timed,
          fileParallelism: false,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Needs no database, because the service starts its own.
        test: {
          ...wholeServices,
          name: 'browser',
          testTimeout,
          hookTimeout: testTimeout,
          experimental,
          globalSetup: programSetup,
          env,
          include: ['test/browser/**/*.test.ts'],
        },
      },
    ],
  },
});
