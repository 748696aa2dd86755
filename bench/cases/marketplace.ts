import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import { csvTable, startDuckDb } from '../peers/duckdb.ts';

const rounds = 5;

/** Imports a large marketplace file: many pairs of device and attribute. */
export const marketplace: BenchCase = {
  name: 'marketplace',
  async run({ scaled, nodeOptions }) {
    await using world = await openWorld();
    await world.createAttributes();
    const rows = { rows: scaled(10_000_000), cell: 'five_attributes', repeating: true } as const;
    const object = await world.put('marketplace.csv', csvRows(rows));
    await using worker = await world.startWorker(nodeOptions);
    await using duckdb = await startDuckDb(world.scratch);
    let counts: readonly number[] = [];

    async function load(): Promise<number> {
      const result = await worker.call('importFile', object.name);
      await worker.call('empty', undefined);
      counts = result.counts;
      return result.seconds;
    }

    async function loadWithDuckDb(): Promise<number> {
      const file = join(world.scratch, 'pairs.parquet');
      const result = await duckdb.call('run', duckDbJob(object.path, file));
      await rm(file);
      const perAttribute = result.rows.map(([, devices]) => Number(devices));
      expectSame('marketplace', counts, perAttribute);
      return result.seconds;
    }

    const measured = await takeTurns(rounds, {
      ours: { run: load },
      duckdb: { run: loadWithDuckDb },
    });
    return {
      title: 'Marketplace file of 10 million rows with 5 of 1,000 attributes each',
      findings: [
        {
          what: '50 million pairs of device and attribute',
          ours: { value: median(measured.ours), unit: 's', of: rounds },
          peer: { name: 'DuckDB', value: median(measured.duckdb), unit: 's', of: rounds },
          target: { kind: 'times_faster', limit: 4 },
        },
        {
          what: 'peak memory of the worker',
          ours: { value: (await worker.peakBytes()) / 1e6, unit: 'MB', of: rounds },
          target: { kind: 'at_most', limit: 700 },
        },
      ],
      comparisons: [
        {
          title: 'Marketplace, 50 million pairs',
          bars: [
            { name: 'Tributary', seconds: median(measured.ours), isOurs: true },
            { name: 'DuckDB', seconds: median(measured.duckdb), isOurs: false },
          ],
        },
      ],
      remarks: [
        'Every tenth row repeats a device. DuckDB reads the file, casts to UUID, splits the keys, deduplicates the pairs, writes them to Parquet sorted by attribute and device, syncs the file and counts. Its counts must equal ours.',
      ],
      measured,
    };
  },
};

function duckDbJob(path: string, file: string) {
  return {
    statements: [
      `copy (
        select distinct unnest(string_split(keys, '|')::usmallint[]) as attribute, device
        from ${csvTable(path, 'keys')}
        order by attribute, device
      ) to '${file}' (format parquet, compression uncompressed)`,
      `select attribute, count(*) from '${file}' group by attribute order by attribute`,
    ],
    files: [file],
  };
}
