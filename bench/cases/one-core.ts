import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../src/warehouse/clickhouse/cluster/server.ts';
import { startClickhouseCluster } from '../../test/support/clickhouse-cluster.ts';
import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { childrenNamed, cpuSecondsOf } from '../harness/process-status.ts';
import type { Program } from '../harness/program.ts';
import { callAs, processOf, startBenchService } from '../harness/service.ts';
import { makeFolder, openWorld } from '../harness/world.ts';
import type { Finding } from '../report/finding.ts';
import type { WorkerCalls } from '../worker/worker-program.ts';

const attributesPerRow = 5;
const requests = 4_000;
const requestsAtOnce = 8;

/** The figures behind docs/scaling.md: work per second of one core, and bytes on disk. */
export const oneCore: BenchCase = {
  name: 'one-core',
  async run({ scaled, nodeOptions }) {
    const sizes = {
      imported: scaled(2_000_000),
      again: scaled(1_000_000),
      audience: scaled(1_000_000),
    };
    await using world = await openWorld();
    await world.createAttributes();
    await world.put('imported', csvRows({ rows: sizes.imported, cell: 'five_attributes' }));
    const fromAgain = sizes.imported - sizes.again / 2;
    const again = csvRows({ rows: sizes.again, from: fromAgain, cell: 'five_attributes' });
    await world.put('again', again);
    const from = sizes.imported - sizes.audience / 2;
    await world.put('audience', csvRows({ rows: sizes.audience, from, cell: 'label' }));

    await using filesWorker = await world.startWorker(nodeOptions);
    const files = await measureEngine(filesWorker, sizes, async () => 0);
    const fileBytes = await filesWorker.call('fileBytes', undefined);
    const manifest = await filesWorker.call('manifestSize', undefined);
    await filesWorker.call('empty', undefined);

    const memberships = attributesPerRow * (sizes.imported + sizes.again / 2) + 2 * sizes.audience;
    const stored = (devices: number) => memberships + devices;
    const findings = [
      ...findingsOf('run files', files),
      one('run files: a membership on disk', fileBytes / stored(files.universe), 'bytes'),
      one('PostgreSQL: a run in the manifest', manifest.bytes / manifest.runs, 'bytes'),
      one('API: GET /v1/marketplace/import', await requestsPerCpuSecond(), 'requests/s'),
    ];
    const hasClickhouse = existsSync('/usr/sbin/clickhouse-server');
    if (hasClickhouse) {
      await using cluster = await startClickhouseCluster();
      const servers = await childrenNamed('clickhouse-server');
      const address = cluster.freshAddress();
      await using worker = await world.startWorker(nodeOptions, address);
      const observed = cluster.shards('default');
      const shards = await measureEngine(worker, sizes, async () => {
        for (const shard of observed) await untilMerged(shard);
        const spent = await Promise.all(servers.map(cpuSecondsOf));
        return spent.reduce((sum, seconds) => sum + seconds, 0);
      });
      expectSame('overlap', shards.overlap.counts, files.overlap.counts);
      for (const shard of observed) await shard[Symbol.asyncDispose]();
      const bytes = await bytesOnShards(cluster.shards(address.database));
      await worker.call('empty', undefined);
      findings.push(
        ...findingsOf('two shards', shards),
        one('two shards: a membership on disk', bytes / stored(shards.universe), 'bytes'),
      );
    }
    const hasChdb = await import('chdb').then(
      () => true,
      () => false,
    );
    if (hasChdb) {
      await using worker = await world.startWorker(nodeOptions, 'chdb');
      const current = await measureEngine(worker, sizes, async () => 0);
      expectSame('overlap', current.overlap.counts, files.overlap.counts);
      findings.push(...findingsOf('current ClickHouse', current));
    }
    return {
      title: 'What a second of one core does',
      findings,
      remarks: [
        `An import of ${sizes.imported.toLocaleString('en')} rows with ${attributesPerRow} of 1,000 attributes each, into an empty warehouse. A second import of ${sizes.again.toLocaleString('en')} rows, half of them of devices of the first. An audience of ${sizes.audience.toLocaleString('en')} rows with 7 labels, half of it in the universe, and its overlap with the 1,000 attributes. Each was measured once. CPU seconds include the worker, the servers and the merges that follow, but not the database. Rates are in millions per CPU second: rows of files, and memberships examined.`,
        hasClickhouse
          ? "The cluster is two processes of Debian's clickhouse-server 18.16 on the same two cores."
          : 'This machine has no clickhouse-server, so the cluster was not measured.',
        hasChdb
          ? 'The current ClickHouse is the library chDB in the process of the worker, as one server. Its merges are included only as far as they end during a measurement.'
          : 'This machine has no chDB, so no current ClickHouse was measured.',
      ],
      measured: {},
    };
  },
};

type Measured = Awaited<ReturnType<typeof measureEngine>>;

async function measureEngine(
  worker: Program<WorkerCalls>,
  sizes: { readonly imported: number; readonly again: number; readonly audience: number },
  serverCpu: () => Promise<number>,
) {
  async function withServers<T extends { cpuSeconds: number }>(call: () => Promise<T>) {
    const before = await serverCpu();
    const result = await call();
    const servers = (await serverCpu()) - before;
    return { ...result, servers, all: result.cpuSeconds + servers };
  }
  const imported = await withServers(() => worker.call('importFile', 'imported'));
  expectSame('devices', imported.devices, sizes.imported);
  const again = await withServers(() => worker.call('importFile', 'again'));
  expectSame('devices of the second import', again.devices, sizes.again);
  const fold = await withServers(() => worker.call('foldUniverse', undefined));
  const audience = await worker.call('createAudience', undefined);
  const loaded = await withServers(() =>
    worker.call('loadAudience', { audience, name: 'audience' }),
  );
  const overlap = await withServers(() => worker.call('overlapWithAttributes', audience));
  const universe = sizes.imported + sizes.again / 2;
  return { sizes, imported, again, fold, loaded, overlap, universe };
}

function findingsOf(engine: string, measured: Measured): Finding[] {
  const { sizes, imported, again, fold, loaded, overlap } = measured;
  const memberships = (sizes.imported + sizes.again / 2) * attributesPerRow;
  const rate = (what: string, count: number, { all }: { all: number }) =>
    one(`${engine}: ${what}`, count / all / 1e6, 'million/s');
  return [
    rate('rows imported', sizes.imported, imported),
    one(`${engine}: that import, CPU of the worker`, imported.cpuSeconds, 's'),
    ...(imported.servers > 0
      ? [one(`${engine}: that import, CPU of the servers`, imported.servers, 's')]
      : []),
    rate('rows imported, half of them known', sizes.again, again),
    rate('rows of an audience loaded', sizes.audience, loaded),
    rate('memberships folded into the universe', memberships, fold),
    rate('memberships compared in an overlap', memberships, overlap),
  ];
}

function one(what: string, value: number, unit: Finding['ours']['unit']): Finding {
  return { what, ours: { value, unit, of: 1 } };
}

type Shards = ReturnType<Awaited<ReturnType<typeof startClickhouseCluster>>['shards']>;

/** Waits until a server has no merge for a second. Merges are part of what an import costs. */
async function untilMerged(server: Server): Promise<void> {
  for (let idle = 0; idle < 10; idle++) {
    const [row] = await server.select('select count() from system.merges');
    if (row?.[0] !== '0') idle = 0;
    await sleep(100);
  }
}

/** The size after the servers have merged all parts. */
async function bytesOnShards(shards: Shards): Promise<number> {
  let bytes = 0;
  for (const shard of shards) {
    await using server = shard;
    await server.execute('optimize table run_device final', { timeoutMs: 120_000 });
    const [row] = await server.select(
      "select sum(bytes) from system.parts where active and database = currentDatabase() and table = 'run_device'",
    );
    bytes += Number(row?.[0]);
  }
  return bytes;
}

/** For the API process alone, with several concurrent requests. */
async function requestsPerCpuSecond(): Promise<number> {
  const folder = await makeFolder();
  try {
    const settings = { TRIBUTARY_RATE_LIMIT: '1000000' };
    await using service = await startBenchService(join(folder, 'data'), settings);
    const operator = callAs(service, service.adminToken);
    const path = '/admin/v1/partners/1/api-keys';
    const { api_key } = await operator<{ api_key: string }>('POST', path, {});
    const partner = callAs(service, api_key);
    const api = await processOf(service, 'api');
    const work = async (count: number) => {
      const left = Array.from({ length: count }).values();
      const send = async () => {
        for (const _ of left) await partner('GET', '/v1/marketplace/import');
      };
      await Promise.all(Array.from({ length: requestsAtOnce }, send));
    };
    await work(requests / 4);
    const before = await cpuSecondsOf(api);
    await work(requests);
    return requests / ((await cpuSecondsOf(api)) - before);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
