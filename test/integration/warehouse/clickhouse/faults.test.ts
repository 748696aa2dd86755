import { describe, expect } from 'vitest';
import { TributaryError } from '../../../../src/domain/errors.ts';
import { warehouseOn } from '../../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { Cluster } from '../../../../src/warehouse/clickhouse/cluster/cluster.ts';
import { createReplicas } from '../../../../src/warehouse/clickhouse/cluster/replicas.ts';
import type { Chunks, Server } from '../../../../src/warehouse/clickhouse/cluster/server.ts';
import { merging, signal } from '../../../contract/warehouse-bench.ts';
import { clickhouseTest as it, rowsOf } from '../../../support/clickhouse-bench.ts';
import { testLoading } from '../../../support/clickhouse-world.ts';
import { eventually } from '../../../support/http.ts';
import { machineHas } from '../../../support/requirements.ts';
import { rowBatch } from '../../../support/row-batches.ts';

function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error) => error,
  );
}

/** The same cluster. Calls `before` with each chunk of an insert, before the chunk is sent. */
function interrupting(cluster: Cluster, before: () => Promise<void>): Cluster {
  async function* slowed(chunks: Chunks) {
    for await (const chunk of chunks) {
      await before();
      yield chunk;
    }
  }
  const watched = (shard: Server): Server => ({
    ...shard,
    insert: (sql, chunks, options) => shard.insert(sql, slowed(chunks), options),
  });
  return { ...cluster, shards: async () => (await cluster.shards()).map(watched) };
}

describe.skipIf(!machineHas('clickhouse-server'))('a warehouse whose shards fail', () => {
  it('fails instead of undercounting while a shard is down, and recovers', async ({
    cluster,
    world,
    bench,
    one,
    two,
  }) => {
    const { warehouse } = world;
    await bench.load(rowsOf(0, 1_000), merging(one));
    await bench.load(rowsOf(500, 1_500), merging(two));
    await cluster.kill(1);
    const verbs = [
      () => warehouse.countDistinct([one, two], signal),
      () => warehouse.overlap({ segmentId: one }, [two], signal),
      () => warehouse.refreshUniverse(signal),
      () => bench.stage(rowsOf(1_000, 2_000), merging(one)),
    ];
    for (const verb of verbs) {
      const error = await rejectionOf(verb());
      expect(error).toBeInstanceOf(TributaryError);
      expect(error).toMatchObject({ code: 'unavailable' });
    }
    await expect(warehouse.checkReady()).rejects.toThrow(/cannot be written to.*127\.0\.0\.2/);

    await cluster.start(1);
    await warehouse.checkReady();
    await bench.load(rowsOf(1_000, 2_000), merging(one));
    expect(await warehouse.countDistinct([one, two], signal)).toBe(2_000);
    expect(await warehouse.overlap({ segmentId: one }, [two], signal)).toEqual([1_000]);
  });

  it('runs all its queries at the same time', async ({ cluster }) => {
    const [first] = cluster.shards('default');
    await using server = first!;
    const running = new AbortController();
    const queries = Array.from({ length: 12 }, () =>
      rejectionOf(server.execute('select sleep(3)', { signal: running.signal })),
    );
    const atOnce = "select count() from system.processes where query like 'select sleep%'";
    await eventually(async () => expect(await server.select(atOnce)).toEqual([['12']]));
    running.abort();
    await Promise.all(queries);
  });

  it('keeps no rows of an interrupted load', async ({ cluster, world, bench, one }) => {
    const { warehouse } = world;
    const job = { jobId: bench.newJob(), attempt: 1 };
    {
      await using load = warehouse.beginLoad(job);
      await load.add(rowBatch(rowsOf(0, 9_000)));
      await cluster.kill(1);
      await load.add(rowBatch(rowsOf(9_000, 18_000)));
      const error = await rejectionOf(load.stage(merging(one), signal));
      expect(error).toMatchObject({ code: 'unavailable' });
    }
    await cluster.start(1);
    expect(await world.records.manifest.runsOf([one])).toEqual([]);
    const staged = await bench.stage(rowsOf(0, 9_000), merging(one), { ...job, attempt: 2 });
    await bench.commit(staged);
    expect(await warehouse.countDistinct([one], signal)).toBe(9_000);

    await warehouse.sweep(0);
    expect(await world.sum('select count() from loaded_row')).toBe(0);
    expect(await world.sum('select count() from run_device')).toBe(9_000);
  });

  it('leaves an attempt whose insert was interrupted without effect', async ({
    cluster,
    world,
    bench,
    one,
  }) => {
    await bench.load(rowsOf(0, 10), merging(one));
    let sent = 0;
    const replicas = createReplicas(world.address, world.records);
    const interrupted = () =>
      interrupting(replicas.cluster(), async () => {
        if (++sent === 2) await cluster.kill(1);
      });
    const options = { records: world.records, graceSeconds: 0, loading: testLoading };
    await using warehouse = warehouseOn({ ...replicas, cluster: interrupted }, options);
    await using load = warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
    await load.add(rowBatch(rowsOf(10, 50_000)));
    const replacing = { ...merging(one), mode: 'replace' as const };
    const error = await rejectionOf(load.stage(replacing, signal));
    await cluster.start(1);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(await world.warehouse.countDistinct([one], signal)).toBe(10);
    await world.warehouse.sweep(0);
    expect(await world.sum('select count() from run_device')).toBe(10);
  });

  it('kills a cancelled query on the shards', async ({ world }) => {
    await world.warehouse.checkReady();
    const [shard] = world.shards;
    const abort = new AbortController();
    const long = shard!.execute(
      `insert into run_device select number, toFixedString(toString(number), 16)
      from system.numbers limit 1000000000`,
      { signal: abort.signal, timeoutMs: 60_000 },
    );
    const outcome = rejectionOf(long);
    const isRunning = async () =>
      (
        await shard!.select(
          "select count() from system.processes where query like 'insert into run%'",
        )
      )[0]![0];
    await expect.poll(isRunning).toBe('1');
    abort.abort(new Error('cancelled'));
    expect(await outcome).toMatchObject({ message: 'cancelled' });
    await expect.poll(isRunning).toBe('0');
  });

  it('a query on a frozen shard times out', async ({ cluster, world }) => {
    await world.warehouse.checkReady();
    const [, shard] = world.shards;
    cluster.freeze(1);
    const error = await rejectionOf(shard!.select('select 1', { timeoutMs: 300 }));
    cluster.unfreeze(1);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(await shard!.select('select 1')).toEqual([['1']]);
  });

  it('distinguishes devices whatever their bytes are', async ({ world, bench, one, two }) => {
    const hostile = [
      '00000000-0000-0000-0000-000000000000',
      '00000000-0000-0000-0000-000000000001',
      '01000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      'ffffffff-ffff-ffff-ffff-ffffffffff00',
      '27273b2d-2d20-5c5c-270a-090d00225c4e',
      '5c4e5c4e-5c4e-5c4e-5c4e-5c4e5c4e5c4e',
      '00112233-4455-6677-8899-aabbccddeeff',
    ];
    const named = (devices: string[]) => devices.map((each) => ({ device: each, numbers: [0] }));
    await bench.load(named(hostile.slice(0, 5)), merging(one));
    const { change } = await bench.load(named(hostile), merging(one));
    expect(change.add).toMatchObject([{ devices: 3 }]);
    const stored = await Promise.all(
      world.shards.map((shard) => shard.select('select lower(hex(device)) from run_device')),
    );
    expect(stored.flat(2).sort()).toEqual(hostile.map((each) => each.replaceAll('-', '')).sort());
    await bench.load(
      named(hostile.slice(2, 4)).map((row) => ({ ...row, isRemoval: true })),
      merging(one),
    );
    expect(await world.warehouse.countDistinct([one, two], signal)).toBe(6);
  });
});
