import { csvRows } from '../generate/rows.ts';
import { type BenchCase, expectSame } from '../harness/bench-case.ts';
import { median, takeTurns } from '../harness/turns.ts';
import { openWorld } from '../harness/world.ts';
import { csvTable, startDuckDb } from '../peers/duckdb.ts';

const rounds = 5;

/** The composition of an audience: the exact overlap with each of many attributes. */
export const overlap: BenchCase = {
  name: 'overlap',
  async run({ scaled, nodeOptions }) {
    const universe = scaled(20_000_000);
    const size = scaled(10_000_000);
    await using world = await openWorld();
    await world.createAttributes();
    const attributes = await world.put(
      'attributes.csv',
      csvRows({ rows: universe, cell: 'five_attributes' }),
    );
    const audience = await world.put(
      'audience.csv',
      csvRows({ rows: size, from: universe - size / 2, cell: 'label' }),
    );
    await using worker = await world.startWorker(nodeOptions);
    await worker.call('importFile', attributes.name);
    await worker.call('foldUniverse', undefined);
    const id = await worker.call('createAudience', undefined);
    await worker.call('loadAudience', { audience: id, name: audience.name });
    await using duckdb = await startDuckDb(world.scratch);
    await duckdb.call('run', { statements: loading(attributes.path, audience.path) });

    let counts: readonly number[] = [];
    async function count(): Promise<number> {
      const result = await worker.call('overlapWithAttributes', id);
      counts = result.counts;
      return result.seconds;
    }
    async function countWithDuckDb(query: string): Promise<number> {
      const result = await duckdb.call('run', { statements: [query] });
      const perAttribute = result.rows.map(([, devices]) => Number(devices));
      expectSame('overlap', counts, perAttribute);
      return result.seconds;
    }

    const measured = await takeTurns(rounds, {
      ours: { run: count },
      pairs: { run: () => countWithDuckDb(overPairs) },
      lists: { run: () => countWithDuckDb(overLists) },
    });
    const ours = { value: median(measured.ours), unit: 's', of: rounds } as const;
    return {
      title: 'Overlap of an audience of 10 million with 1,000 attributes',
      findings: [
        {
          what: '100 million memberships of 20 million devices',
          ours,
          peer: { name: 'DuckDB', value: median(measured.pairs), unit: 's', of: rounds },
          target: { kind: 'times_faster', limit: 4 },
        },
        {
          what: 'the same, against a list of attributes per device',
          ours,
          peer: { name: 'DuckDB', value: median(measured.lists), unit: 's', of: rounds },
          target: { kind: 'times_faster', limit: 1 },
        },
        {
          what: 'peak memory of the worker, with the import, the fold and the load',
          ours: { value: (await worker.peakBytes()) / 1e6, unit: 'MB', of: 1 },
          target: { kind: 'at_most', limit: 700 },
        },
      ],
      comparisons: [
        {
          title: 'Overlap with 1,000 attributes',
          bars: [
            { name: 'Tributary', seconds: ours.value, isOurs: true },
            { name: 'DuckDB', seconds: median(measured.pairs), isOurs: false },
          ],
        },
      ],
      remarks: [
        'Half of the audience is in the universe. We read the profile that the fold has written, from the page cache. DuckDB has its tables in memory before the clock starts, with the memberships in its fastest order (by device; by attribute, as ours are, takes it twice as long). Its counts must equal ours.',
        'A table with one row per device and a list of its attributes has a fifth of the rows. It is what a profile is, except that it cannot take in attributes one by one.',
      ],
      measured,
    };
  },
};

function loading(attributes: string, audience: string): string[] {
  return [
    `create table membership as
      select unnest(string_split(keys, '|')::usmallint[]) as attribute, device
      from ${csvTable(attributes, 'keys')}`,
    `create table device as
      select device, list(attribute) as attributes from membership group by device`,
    `create table audience as select distinct device from ${csvTable(audience, 'label')}`,
  ];
}

const overPairs = `
  select attribute, count(*) from membership semi join audience using (device)
  group by attribute order by attribute`;

const overLists = `
  select attribute, count(*)
  from (select unnest(attributes) as attribute from device semi join audience using (device))
  group by attribute order by attribute`;
