import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipped } from '../generate/gzip.ts';
import { csvRows, type Rows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { startProgram } from '../harness/program.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import { csvTable, startDuckDb } from '../peers/duckdb.ts';
import type { GunzipCalls } from '../peers/gunzip-program.ts';
import { secondsOfSort } from '../peers/sort.ts';
import type { Finding } from '../report/finding.ts';

const rounds = 5;
const gunzipProgram = new URL('../peers/gunzip-program.ts', import.meta.url);

/** Loads a large audience file, from the object to the committed counts. */
export const audience: BenchCase = {
  name: 'audience',
  async run({ scaled, nodeOptions }) {
    const rows: Rows = { rows: scaled(10_000_000), cell: 'label', repeating: true };
    await using world = await openWorld();
    const plain = await world.put('audience.csv', csvRows(rows));
    const gzip = await world.put('audience.csv.gz', gzipped(csvRows(rows)));
    await using worker = await world.startWorker(nodeOptions);
    await using gunzip = await startProgram<GunzipCalls>(gunzipProgram);
    await using duckdb = await startDuckDb(world.scratch);

    let counts: object = {};
    async function load(name: string): Promise<number> {
      const created = await worker.call('createAudience', undefined);
      const result = await worker.call('loadAudience', { audience: created, name });
      await worker.call('empty', undefined);
      counts = { devices: result.devices, labels: result.labels };
      return result.seconds;
    }

    async function loadWithDuckDb(): Promise<number> {
      const files = ['audience', 'labels'].map((name) => join(world.scratch, `${name}.parquet`));
      const result = await duckdb.call('run', duckDbJob(gzip.path, files as [string, string]));
      for (const file of files) await rm(file);
      const [[, devices] = [], ...labels] = result.rows;
      const perLabel = labels.map(([label = '', held]) => [label, Number(held)]);
      expectSame('audience', counts, {
        devices: Number(devices),
        labels: Object.fromEntries(perLabel),
      });
      return result.seconds;
    }

    const measured = await takeTurns(rounds, {
      gunzip: { run: async () => (await gunzip.call('gunzip', gzip.path)).seconds },
      gzip: { run: () => load(gzip.name) },
      plain: { run: () => load(plain.name) },
      duckdb: { run: loadWithDuckDb },
      sort: { run: () => secondsOfSort(plain.path, world.scratch), rounds: 1 },
    });
    const peak = await worker.peakBytes();

    const ours = (side: 'gzip' | 'plain') =>
      ({ value: median(measured[side]), unit: 's', of: rounds }) as const;
    const peer = (side: keyof typeof measured, name: string) =>
      ({ name, value: median(measured[side]), unit: 's', of: measured[side].length }) as const;
    const findings: Finding[] = [
      {
        what: 'gzip file, compared with gunzip',
        ours: ours('gzip'),
        peer: peer('gunzip', 'gunzip alone'),
        target: { kind: 'times_peer', limit: 1.8 },
      },
      {
        what: 'gzip file, compared with DuckDB',
        ours: ours('gzip'),
        peer: peer('duckdb', 'DuckDB'),
        target: { kind: 'times_faster', limit: 4 },
      },
      {
        what: 'plain file, compared with the same gunzip',
        ours: ours('plain'),
        peer: peer('gunzip', 'gunzip alone'),
        target: { kind: 'times_peer', limit: 0.9 },
      },
      {
        what: 'plain file, compared with sort -u',
        ours: ours('plain'),
        peer: peer('sort', 'sort -u'),
      },
      {
        what: 'peak memory of the worker',
        ours: { value: peak / 1e6, unit: 'MB', of: 2 * rounds },
        target: { kind: 'at_most', limit: 700 },
      },
    ];
    return {
      title: 'Audience file of 10 million rows with 7 labels, object to committed counts',
      findings,
      comparisons: [
        {
          title: 'Audience of 10 million rows',
          bars: [
            { name: 'Tributary, gzip', seconds: median(measured.gzip), isOurs: true },
            { name: 'Tributary, plain', seconds: median(measured.plain), isOurs: true },
            { name: 'gunzip alone', seconds: median(measured.gunzip), isOurs: false },
            { name: 'DuckDB, gzip', seconds: median(measured.duckdb), isOurs: false },
            { name: 'sort -u, plain', seconds: median(measured.sort), isOurs: false },
          ],
        },
      ],
      remarks: [
        'Every tenth row repeats a device. DuckDB reads the gzip file, casts to UUID, deduplicates the audience and each label, writes them sorted to Parquet, syncs the files and counts. Its counts must equal ours.',
        '`sort -u` only sorts the lines of the plain file. It ran once.',
      ],
      measured,
    };
  },
};

/**
 * Produces the same result as ours: the audience and each label's devices, sorted, durable and
 * counted. This was among the fastest of seven variants; writing to DuckDB tables was no faster.
 */
function duckDbJob(path: string, [audienceFile, labelFile]: [string, string]) {
  const asParquet = '(format parquet, compression uncompressed)';
  return {
    statements: [
      `create temp table line as select device, label from ${csvTable(path, 'label', 'gzip')}`,
      'create type label as enum (select distinct label from line)',
      `copy (select distinct device from line order by device) to '${audienceFile}' ${asParquet}`,
      `copy (
        select distinct label::label as label, device from line order by label, device
      ) to '${labelFile}' ${asParquet}`,
      'drop table line',
      'drop type label',
      `select * from (
        select '' as label, count(*) as devices from '${audienceFile}'
        union all select label, count(*) from '${labelFile}' group by label
      ) order by label`,
    ],
    files: [audienceFile, labelFile],
  };
}
