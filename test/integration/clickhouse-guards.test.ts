import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCluster } from '../../src/warehouse/clickhouse/cluster.ts';
import { createUniverseFold } from '../../src/warehouse/clickhouse/universe-fold.ts';
import { type Bench, createBench, merging, signal } from '../contract/warehouse-bench.ts';
import {
  type ClickhouseCluster,
  limitedUsername,
  startClickhouseCluster,
} from '../support/clickhouse-cluster.ts';
import { type ClickhouseWorld, openClickhouseWorld } from '../support/clickhouse-world.ts';
import { deviceNumber } from '../support/devices.ts';
import { machineHas } from '../support/requirements.ts';
import { rowBatch } from '../support/row-batches.ts';

function rowsOf(from: number, to: number) {
  return Array.from({ length: to - from }, (_, i) => ({
    device: deviceNumber(from + i),
    numbers: [0],
  }));
}

describe.skipIf(!machineHas('clickhouse-server'))('a warehouse on odd servers', () => {
  let cluster: ClickhouseCluster;
  let world: ClickhouseWorld;
  let bench: Bench;
  let one: number;
  let two: number;

  beforeAll(async () => {
    cluster = await startClickhouseCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(async () => {
    world = await openClickhouseWorld(cluster);
    const nothing = async () => {};
    bench = createBench({
      ...world,
      maintenance: { compact: nothing, sweep: nothing },
      readRuns: async () => [],
    });
    one = await world.records.segments.create('attribute');
    two = await world.records.segments.create('attribute');
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it.each([
    ['one host twice', 'twice', 'shards of cluster twice have one host'],
    ['one server by two names', 'renamed', 'takes shard 1 of cluster renamed for itself'],
    ['one port for two servers of a machine', 'mixed', 'takes shard 1 of cluster mixed for itself'],
    ['weights', 'weighted', 'have weights'],
  ])('refuses a cluster whose list has %s', async (_, name, reason) => {
    await using warehouse = world.open(0, { ...cluster.freshAddress(), cluster: name });
    await expect(warehouse.checkReady()).rejects.toThrow(reason);
  });

  it.each([{ password: 'wrong' }, { cluster: 'nowhere' }])(
    'has jobs wait for the operator who set it up wrongly: %s',
    async (mistake) => {
      await using warehouse = world.open(0, { ...world.address, ...mistake });
      await using load = warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
      await load.add(rowBatch(rowsOf(0, 10)));
      const staged = load.stage(merging(one), signal);
      await expect(staged).rejects.toMatchObject({ code: 'unavailable' });
    },
  );

  it('stages nothing of rows that are not all there', async () => {
    await using load = world.warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
    await load.add(rowBatch(rowsOf(0, 9_000)));
    await expect.poll(() => world.sum('select count() from loaded_row')).toBe(8_000);
    await world.shards[1]!.execute('truncate table loaded_row');
    const staged = load.stage(merging(one), signal);
    await expect(staged).rejects.toThrow(/has only \d+ of 9000 rows/);
  });

  it('stages nothing of rows on shards where nobody looks for them', async () => {
    await bench.load(rowsOf(0, 1_000), merging(one));
    const { database } = world.address;
    for (const shard of world.shards) {
      await shard.execute('drop table loaded');
      await shard.execute(
        `create table loaded as loaded_row engine = Distributed(pair, ${database}, loaded_row, sipHash64(device) + 1)`,
      );
    }
    const again = bench.load(rowsOf(0, 1_000), merging(one));
    await expect(again).rejects.toThrow('has only 0 of 1000 rows where they belong');
  });

  it('gets no part of an answer from a server that is set to give one', async () => {
    await bench.load(rowsOf(0, 1_000), merging(one));
    await bench.load(rowsOf(500, 1_500), merging(two));
    await using limited = world.open(0, { ...world.address, username: limitedUsername });
    await limited.checkReady();
    const count = limited.countDistinct([one, two], signal);
    await expect(count).rejects.toThrow('Limit for rows to GROUP BY exceeded');
    const overlap = limited.overlap({ segmentId: one }, [two], signal);
    await expect(overlap).rejects.toThrow('Limit for IN-set exceeded');
  });

  it('holds as much in memory as a load brings, in however many segments its devices are', async () => {
    const { warehouse, records, address } = world;
    const segmentIds = await Promise.all(
      Array.from({ length: 10 }, () => records.segments.create('attribute')),
    );
    const everywhere = rowsOf(0, 100).map((row) => ({ ...row, numbers: [...segmentIds.keys()] }));
    await bench.load(everywhere, merging(...segmentIds));
    const [known, fresh] = [rowsOf(0, 50), rowsOf(100, 101)];
    const named = known.map(({ device }, i) => ({ device, numbers: [i % 10] }));
    await using limited = world.open(0, { ...address, username: limitedUsername });
    await using load = limited.beginLoad({ jobId: bench.newJob(), attempt: 1 });
    await load.add(rowBatch([...named, ...fresh]));
    const { change } = await load.stage(merging(...segmentIds), signal);
    expect(change.add).toMatchObject([{ segmentId: segmentIds[0], devices: 1 }]);
    expect(await warehouse.countDistinct(segmentIds, signal)).toBe(100);
  });

  it('folds anew what was swept of a fold that had frozen', async () => {
    const { warehouse, records } = world;
    await bench.load(rowsOf(0, 100), merging(one));
    await warehouse.refreshUniverse(signal);
    await bench.drop(one);
    await using shards = createCluster(world.address, records);
    let isAwake = false;
    const frozen: typeof shards = {
      ...shards,
      async sums(sql, options) {
        if (!isAwake) await warehouse.sweep(0);
        isAwake = true;
        return await shards.sums(sql, options);
      },
    };
    const engine = { records, cluster: frozen, graceSeconds: 60, devicesPerShard: 5_000 };
    const { segmentId } = await createUniverseFold(engine)(signal);
    expect(await warehouse.countDistinct([segmentId], signal)).toBe(0);
  });

  it('puts no deletion behind one that is not done, and does not wait for it when told to stop', async () => {
    const { warehouse, shards, sum } = world;
    await bench.stage(rowsOf(0, 100), merging(one));
    const stopping = new AbortController();
    await shards[0]!.execute('system stop merges');
    try {
      const sweep = warehouse.sweep(0, stopping.signal);
      const stopped = expect(sweep).rejects.toThrow('aborted');
      const mutations = 'select count() from system.mutations where database = currentDatabase()';
      await expect.poll(() => sum(mutations)).toBe(2);
      await using other = world.open(0, world.address);
      await expect(other.sweep(0)).rejects.toThrow('still deletes what it was told to');
      expect(await sum(mutations)).toBe(2);
      stopping.abort();
      await stopped;
    } finally {
      await shards[0]!.execute('system start merges');
    }
  });
});
