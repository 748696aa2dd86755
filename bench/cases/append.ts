import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import { csvTable, startDuckDb } from '../peers/duckdb.ts';
import type { DuckDbJob } from '../peers/duckdb-program.ts';
import type { Finding } from '../report/finding.ts';

const rounds = 5;

/** Appends to a large audience. Half of the appended rows repeat existing devices. */
export const append: BenchCase = {
  name: 'append',
  async run({ scaled, nodeOptions }) {
    const held = scaled(50_000_000);
    const many = scaled(1_000_000);
    const few = 1_000;
    await using world = await openWorld();
    await using worker = await world.startWorker(nodeOptions);

    /** Loads an audience with or without labels, then appends to it and to an empty one. */
    async function measure(cell: 'empty' | 'label') {
      const put = (name: string, rows: number, from = 0) =>
        world.put(`${cell}-${name}`, csvRows({ rows, from, cell }));
      const paths = {
        held: (await put('held', held)).path,
        many: (await put('many', many, held - many / 2)).path,
        few: (await put('few', few, held - few / 2)).path,
      };
      const empty = await worker.call('createAudience', undefined);
      const full = await worker.call('createAudience', undefined);
      await worker.call('loadAudience', { audience: full, name: `${cell}-held` });
      await using duckdb = await startDuckDb(world.scratch);
      await duckdb.call('run', { statements: holding(paths.held) });

      async function appendTo(audience: number, name: 'many' | 'few', devices: number) {
        const result = await worker.call('loadAudience', { audience, name: `${cell}-${name}` });
        expectSame(`devices after ${name}`, result.devices, devices);
        await worker.call('revertLoad', audience);
        return result;
      }

      async function appendWithDuckDb(): Promise<number> {
        const job = antiJoin(paths.many, world.scratch, cell === 'label');
        const result = await duckdb.call('run', job);
        for (const file of job.files) await rm(file);
        expectSame('new devices', many / 2, Number(result.rows[0]?.[0]));
        return result.seconds;
      }

      const measured = await takeTurns(rounds, {
        toEmpty: { run: async () => (await appendTo(empty, 'many', many)).seconds },
        toFull: { run: async () => (await appendTo(full, 'many', held + many / 2)).seconds },
        duckdb: { run: appendWithDuckDb },
        fewToFull: {
          run: async () => (await appendTo(full, 'few', held + few / 2)).cpuSeconds * 1_000,
        },
      });
      await worker.call('empty', undefined);
      return measured;
    }

    const bare = await measure('empty');
    const labelled = await measure('label');
    const findings = Object.entries({ 'without labels': bare, 'with 7 labels': labelled }).flatMap(
      ([kind, measured]): Finding[] => [
        {
          what: `1 million rows ${kind}`,
          ours: { value: median(measured.toFull), unit: 's', of: rounds },
          peer: { name: 'DuckDB', value: median(measured.duckdb), unit: 's', of: rounds },
          target: { kind: 'times_faster', limit: 1 },
        },
        {
          what: `1 million rows ${kind}, compared with an empty audience`,
          ours: { value: median(measured.toFull), unit: 's', of: rounds },
          peer: { name: 'to an empty one', value: median(measured.toEmpty), unit: 's', of: rounds },
        },
        {
          what: `1,000 rows ${kind}, CPU of the worker`,
          ours: { value: median(measured.fewToFull), unit: 'ms', of: rounds },
          target: { kind: 'at_most', limit: 150 },
        },
      ],
    );
    return {
      title: 'Appending to an audience of 50 million, half of the rows already present',
      findings,
      remarks: [
        'With labels the audience stores every device twice: for itself and for a label. Each append is reverted before the next.',
        'DuckDB has the 50 million devices, and their labels, in tables in memory before the clock starts. It reads the same file, anti-joins it with the tables, writes the new rows sorted to Parquet, syncs the files, and counts. We read ours from run files in the page cache.',
      ],
      measured: {
        ...bare,
        ...Object.fromEntries(
          Object.entries(labelled).map(([side, times]) => [`labelled ${side}`, times]),
        ),
      },
    };
  },
};

function holding(path: string): string[] {
  return [
    `create table pair as select device, label from ${csvTable(path, 'label')}`,
    'create table held as select distinct device from pair',
  ];
}

function antiJoin(
  path: string,
  folder: string,
  hasLabels: boolean,
): DuckDbJob & { readonly files: string[] } {
  const written = (name: string) => join(folder, `${name}.parquet`);
  const copy = (name: string, rows: string, order: string) =>
    `copy (${rows} order by ${order}) to '${written(name)}' (format parquet, compression uncompressed)`;
  const statements = [
    `create or replace temp table added as select device, label from ${csvTable(path, 'label')}`,
    copy('devices', 'select distinct device from added anti join held using (device)', 'device'),
  ];
  const files = [written('devices')];
  if (hasLabels) {
    const pairs = 'select distinct label, device from added anti join pair using (label, device)';
    statements.push(copy('pairs', pairs, 'label, device'));
    files.push(written('pairs'));
  }
  return { statements: [...statements, `select count(*) from '${written('devices')}'`], files };
}
