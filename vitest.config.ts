import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { machineHas } from './test/support/requirements.ts';

/** What the services that tests start have compiled, the next ones need not compile again. */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'tributary-tests-compiled') };

/** The tests by which coverage is measured; others may run the same code, but need not show it. */
const measuring = [
  'src/{domain,intake,jobs}/**/*.test.ts',
  'test/integration/jobs/{audience,import}/*.test.ts',
  'test/integration/jobs/worker/worker-loop.test.ts',
  'test/integration/records/{import-files,import-rejects,lanes}.test.ts',
];

/** Those that take long. */
const long = [
  'test/contract/*.test.ts',
  'test/integration/jobs/audience/{model,polling}-audience.test.ts',
  'test/integration/jobs/import/import-{crash,order}.test.ts',
];

/** Parts of the service, each in this process. */
const parts: TestProjectInlineConfiguration['test'] = {
  globalSetup: 'test/support/global-setup.ts',
  // One more than the smallest machine has cores, for many wait for timers and processes.
  maxWorkers: 3,
  // Nothing of ours lives between tests, so the files of a worker may share what they load.
  isolate: false,
};

/** Whole services, each of several processes. */
const wholeServices: TestProjectInlineConfiguration['test'] = {
  testTimeout: 90_000,
  maxWorkers: 3,
  maxConcurrency: 3,
  isolate: false,
};

/** For services that keep nothing in their data dir. */
const outside = 'test/acceptance/outside.test.ts';

/** What measures time, and so runs with nothing beside it. */
const timed = ['test/acceptance/{lifecycle,workers-apart}.test.ts'];

/**
 * The suites of both groups once more, on services whose records are in a PostgreSQL that they did not
 * start, their objects in a store that we did not write and their warehouses on two shards of ClickHouse.
 */
const cluster: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    ...wholeServices,
    name: 'cluster',
    globalSetup: ['test/support/global-setup.ts', 'test/support/cluster-setup.ts'],
    include: ['test/acceptance/{marketplace,audience}/*.test.ts', outside],
    // What a command prints and how requests are counted has nothing to do with the stores.
    exclude: ['test/acceptance/*/{command-line,rate-limit}.test.ts'],
  },
};

export default defineConfig({
  test: {
    env,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Vitest's own second is soon over on a busy machine.
    expect: { poll: { timeout: 15_000 } },
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
    // What has one order in the sequence runs together, by name: in the end there are only parts that are
    // quick, so that no core is idle for long.
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
          include: ['{demo,src,console/src}/**/*.test.ts', 'test/{*,integration/**/*}.test.ts'],
          exclude: [...long, ...measuring],
        },
      },
      {
        extends: true,
        test: {
          ...wholeServices,
          name: 'acceptance',
          globalSetup: 'test/support/global-setup.ts',
          include: ['test/acceptance/**/*.test.ts'],
          exclude: [...timed, outside],
        },
      },
      ...(machineHas('clickhouse-server', 'swift') ? [cluster] : []),
      {
        extends: true,
        test: {
          name: 'timed',
          globalSetup: 'test/support/global-setup.ts',
          include: timed,
          fileParallelism: false,
          testTimeout: 90_000,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Nothing of the others' is needed here: the service has a database of its own.
        test: {
          name: 'browser',
          env,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          maxConcurrency: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
