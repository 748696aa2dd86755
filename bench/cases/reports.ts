import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attributeKey, csvRows, many } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { type BenchPartner, preparePartner } from '../harness/partner.ts';
import { cpuSecondsOfAll, statusBytes } from '../harness/process-status.ts';
import { type BenchService, callAs, processOf, startBenchService } from '../harness/service.ts';
import { makeFolder } from '../harness/world.ts';
import { csvTable, startDuckDb } from '../peers/duckdb.ts';

const audiencesPath = '/v2/firstparty/audience';

/** Asking takes about 5 ms of CPU time, which counts as the service's, so it is not asked more often. */
const pollMs = 500;

/** What a busy installation pays for its reports: the first ones, and after changes of attributes. */
export const reports: BenchCase = {
  name: 'reports',
  async run({ scaled }) {
    const large = await runScenario({
      devices: scaled(2_000_000),
      more: scaled(20_000),
      audiences: 50,
      audienceRows: scaled(400_000),
    });
    const small = await runScenario({
      devices: scaled(2_000_000),
      more: scaled(20_000),
      audiences: Math.max(10, scaled(1_000)),
      audienceRows: scaled(10_000),
    });
    const seconds = (value: number) => ({ value, unit: 's', of: 1 }) as const;
    return {
      title: 'Reports of many audiences over 50 million memberships',
      findings: [
        {
          what: 'load 50 audiences of 400,000 rows with their reports',
          ours: seconds(large.load.wall),
          target: { kind: 'at_most', limit: 40 },
        },
        { what: 'the same, CPU time', ours: seconds(large.load.cpu) },
        {
          what: 'all 50 reports after 1 % more memberships in every attribute, CPU time',
          ours: seconds(large.gain.cpu),
          target: { kind: 'at_most', limit: 4 },
        },
        {
          what: 'all 50 reports after one attribute was replaced, CPU time',
          ours: seconds(large.replace.cpu),
          target: { kind: 'at_most', limit: 2 },
        },
        {
          what: 'import of 50 million memberships and its fold, CPU time',
          ours: seconds(large.import.cpu),
        },
        {
          what: 'all 50 overlaps once',
          ours: seconds(large.load.wall),
          peer: { name: 'DuckDB', ...seconds(large.duckdb) },
        },
        {
          what: '1,000 reports of audiences of 10,000 rows after 1 % more memberships, CPU time',
          ours: seconds(small.gain.cpu),
          target: { kind: 'at_most', limit: 10 },
        },
        {
          what: 'peak memory of the worker',
          ours: { value: Math.max(large.peak, small.peak) / 1e6, unit: 'MB', of: 2 },
          target: { kind: 'at_most', limit: 700 },
        },
      ],
      remarks: [
        `The service as started by npm start, with its processes and PostgreSQL in the CPU time. ${many.of} attributes, ${many.perRow} for each of 2 million devices. The time of a refresh includes the import and the fold of what changed. Every report must equal the counts of DuckDB, whose table of memberships is in memory before the clock starts.`,
      ],
      measured: {
        load: [large.load.wall, large.load.cpu],
        gain: [large.gain.wall, large.gain.cpu, small.gain.wall, small.gain.cpu],
        replace: [large.replace.wall, large.replace.cpu],
        import: [large.import.wall, large.import.cpu],
        duckdb: [large.duckdb],
      },
    };
  },
};

interface Scenario {
  readonly devices: number;
  /** Devices that a later import adds. */
  readonly more: number;
  readonly audiences: number;
  readonly audienceRows: number;
}

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function runScenario({ devices, more, audiences, audienceRows }: Scenario) {
  const folder = await makeFolder();
  try {
    await using service = await startBenchService(join(folder, 'data'), {
      TRIBUTARY_SUPPRESSION_THRESHOLD: '0',
      TRIBUTARY_RATE_LIMIT: '1000000',
    });
    const partner = await preparePartner(service, many.of);
    const files = { base: join(folder, 'base.csv'), more: join(folder, 'more.csv') };
    const step = Math.floor((devices - audienceRows / 2) / audiences);
    const audienceFile = (number: number) =>
      csvRows({ rows: audienceRows, from: number * step, cell: 'empty' });
    for (let number = 0; number < audiences; number++) {
      await partner.put(`audiences/${number}.csv`, audienceFile(number));
    }
    const baseRows = () => csvRows({ rows: devices, cell: 'many_attributes' });
    const moreRows = () => csvRows({ rows: more, from: devices, cell: 'many_attributes' });
    await partner.put('base.csv', baseRows());
    await partner.put('more.csv', moreRows());
    await writeFile(files.base, baseRows());
    await writeFile(files.more, moreRows());
    const replaced = attributeKey(0);
    await partner.put('replace.csv', oneAttribute(Math.floor(devices / 10), replaced));

    const cost = (work: () => Promise<unknown>) => costOf(service, work);
    const importing = await cost(async () => {
      await partner.import({ file_path: 'base.csv', key_type: 1 });
      await settled(service);
    });
    const ids: number[] = [];
    const load = await cost(async () => {
      for (let number = 0; number < audiences; number++) {
        ids.push(await createAudience(partner, `audiences/${number}.csv`));
      }
      for (const id of ids) await loaded(partner, id);
      await settled(service);
    });
    const gain = await cost(async () => {
      await partner.import({ file_path: 'more.csv', key_type: 1 });
      await settled(service);
    });
    const duckdb = await compareWithDuckDb(folder, files, partner, ids, audienceFile);
    const replace = await cost(async () => {
      await partner.import({ file_path: 'replace.csv', key_type: 1, mode: 'replace' });
      await settled(service);
    });
    const peak = await statusBytes(await processOf(service, 'worker'), 'VmHWM');
    return { import: importing, load, gain, replace, duckdb, peak };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* oneAttribute(rows: number, key: string): AsyncGenerator<Buffer> {
  for await (const chunk of csvRows({ rows, cell: 'empty' })) {
    yield Buffer.from(chunk.toString().replaceAll(',\n', `,${key}\n`));
  }
}

async function costOf(service: BenchService, work: () => Promise<unknown>): Promise<Cost> {
  const [cpu, begun] = [await cpuSecondsOfAll(service.pid), performance.now()];
  await work();
  return {
    wall: (performance.now() - begun) / 1_000,
    cpu: (await cpuSecondsOfAll(service.pid)) - cpu,
  };
}

async function createAudience({ call }: BenchPartner, filePath: string): Promise<number> {
  const body = { name: filePath, file_path: filePath };
  return (await call<{ audience_id: number }>('POST', audiencesPath, body)).audience_id;
}

async function loaded({ call }: BenchPartner, id: number): Promise<void> {
  for (;;) {
    const { status } = await call<{ status: number }>('GET', `${audiencesPath}/${id}`);
    if (status === 2) return;
    if (status > 2) throw new Error(`audience ${id} has status ${status}`);
    await sleep(pollMs);
  }
}

/** Waits until every report is up to date. */
async function settled(service: BenchService): Promise<void> {
  const operator = callAs(service, service.adminToken);
  for (;;) {
    const { universe } = await operator<Status>('GET', '/admin/v1/status');
    if (universe.backlog + universe.outdated_audiences === 0) return;
    await sleep(pollMs);
  }
}

interface Status {
  readonly universe: { readonly backlog: number; readonly outdated_audiences: number };
}

/** Compares every report with the counts of DuckDB, and returns how long DuckDB takes for all of them. */
async function compareWithDuckDb(
  folder: string,
  files: { readonly base: string; readonly more: string },
  { call }: BenchPartner,
  ids: readonly number[],
  audienceFile: (number: number) => AsyncIterable<Buffer>,
): Promise<number> {
  await using duckdb = await startDuckDb(folder);
  const run = (...statements: string[]) => duckdb.call('run', { statements });
  await run(
    `create table membership as
      select unnest(string_split(keys, '|')::usmallint[]) as attribute, device from (
        select * from ${csvTable(files.base, 'keys')}
        union all select * from ${csvTable(files.more, 'keys')}
      ) order by device`,
    'create table audience (number integer, device uuid)',
  );
  const path = join(folder, 'audience.csv');
  for (const number of ids.keys()) {
    await writeFile(path, audienceFile(number));
    await run(`insert into audience select ${number}, device from ${csvTable(path, 'cell')}`);
  }
  const { rows, seconds } = await run(`
    select number, attribute, count(*) from membership join audience using (device)
    group by all order by all`);
  const byAudience = Map.groupBy(rows, ([number]) => Number(number));
  for (const [number, id] of ids.entries()) {
    const { attributes } = await call<CompositionBody>('GET', `${audiencesPath}/${id}/composition`);
    const ours = attributes
      .filter(({ audience_devices }) => audience_devices !== 0)
      .map(({ name, audience_devices }) => [Number(name.split(' ')[1]), audience_devices])
      .sort(([a = 0], [b = 0]) => Number(a) - Number(b));
    const theirs = (byAudience.get(number) ?? []).map(([, key, devices]) => [
      Number(key),
      Number(devices),
    ]);
    expectSame(`report of audience ${number}`, ours, theirs);
  }
  return seconds;
}

interface CompositionBody {
  readonly attributes: readonly {
    readonly name: string;
    readonly audience_devices: number | null;
  }[];
}
