import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openClickhouseWarehouse } from '../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import { createCluster } from '../../src/warehouse/clickhouse/cluster.ts';
import { areMigrated, migrateShards } from '../../src/warehouse/clickhouse/migrate.ts';
import { passesOver } from '../../src/warehouse/clickhouse/passes.ts';
import { fileOfBatch } from '../../src/warehouse/clickhouse/run-ids.ts';
import { within } from '../../src/warehouse/clickhouse/sql.ts';
import { whileThere } from '../../src/warehouse/clickhouse/still-there.ts';
import { WrongWarehouse } from '../../src/warehouse/port.ts';
import { type Bench, createBench, merging, signal } from '../contract/warehouse-bench.ts';
import { type ClickhouseCluster, startClickhouseCluster } from '../support/clickhouse-cluster.ts';
import { type ClickhouseWorld, openClickhouseWorld } from '../support/clickhouse-world.ts';
import { freshRecords } from '../support/database.ts';
import { deviceNumber } from '../support/devices.ts';
import { machineHas } from '../support/requirements.ts';
import { rowBatch } from '../support/row-batches.ts';

function rowsOf(from: number, to: number, ...numbers: number[]) {
  return Array.from({ length: to - from }, (_, i) => ({ device: deviceNumber(from + i), numbers }));
}

const inRuns = 'select count() from run_device';
const inLoads = 'select count() from loaded_row';
const inBatches = 'select count() from batch';

describe.skipIf(!machineHas('clickhouse-server'))('what keeps a ClickHouse warehouse tidy', () => {
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

  it('deletes what attempts left that were never committed, and forgets them', async () => {
    const { warehouse, sum } = world;
    await bench.load(rowsOf(0, 100, 0), merging(one));
    await bench.stage(rowsOf(50, 300, 0), merging(one));
    expect(await sum(inRuns)).toBe(300);
    expect(await warehouse.sweep(0)).toMatchObject({ files: 1, runs: 1 });
    expect(await sum(inRuns)).toBe(100);
    await warehouse.sweep(0);
    expect(await sum(inBatches)).toBe(2);
    expect(await warehouse.sweep(0)).toEqual({ files: 0, loads: 0, runs: 0 });
  });

  it('deletes the runs that were dropped of a batch and leaves the others', async () => {
    const { warehouse, sum } = world;
    await bench.load(rowsOf(0, 100, 0, 1), merging(one, two));
    await warehouse.refreshUniverse(signal);
    await bench.drop(one);
    // The universe has yet to look at what was dropped.
    await warehouse.sweep(0);
    expect(await sum(inRuns)).toBe(300);
    await warehouse.refreshUniverse(signal);
    expect(await warehouse.sweep(0)).toMatchObject({ runs: 1 });
    expect(await sum(inRuns)).toBe(200);
    expect(await warehouse.overlap({ segmentId: two }, [one, two], signal)).toEqual([0, 100]);
    await bench.drop(two);
    await warehouse.refreshUniverse(signal);
    await warehouse.sweep(0);
    expect(await sum(inRuns)).toBe(0);
  });

  it('leaves dropped runs for the grace, counted from when they were seen to be dropped', async () => {
    const { warehouse, sum } = world;
    await bench.load(rowsOf(0, 100, 0, 1), merging(one, two));
    await warehouse.refreshUniverse(signal);
    await bench.drop(one);
    await warehouse.refreshUniverse(signal);
    expect(await warehouse.sweep(60)).toMatchObject({ runs: 0 });
    expect(await sum(inRuns)).toBe(300);
  });

  it('leaves a load alone that is under way', async () => {
    const { warehouse, records } = world;
    const { partnerId } = await records.partners.create('Acme');
    await records.inTransaction((tx) => tx.jobs.submit(partnerId, 'import'));
    const claim = await records.jobs.claim(60);
    await using load = warehouse.beginLoad(claim!);
    await load.add(rowBatch(rowsOf(0, 9_000, 0)));
    await warehouse.sweep(0);
    await load.add(rowBatch(rowsOf(9_000, 12_000, 0)));
    const staged = await load.stage(merging(one), signal);
    await warehouse.sweep(0);
    await bench.commit(staged);
    expect(await warehouse.countDistinct([one], signal)).toBe(12_000);
  });

  it('finds what is written to a batch after it was swept', async () => {
    const { warehouse, shards, sum } = world;
    const staged = await bench.stage(rowsOf(0, 100, 0), merging(one));
    const { file } = staged.change.add[0]!;
    await warehouse.sweep(60);
    await warehouse.sweep(0);
    expect(await sum(inRuns)).toBe(0);
    // A worker that was frozen goes on where it was.
    const batch = BigInt(file.replace(fileOfBatch(0).slice(0, -1), ''));
    await shards[0]!.execute(`insert into run_device values (${batch << 20n}, 'late')`);
    await shards[0]!.execute(`insert into loaded_row values (${batch}, 0, 0, 'late')`);
    expect(await sum(inRuns)).toBe(1);
    await warehouse.sweep(0);
    expect([await sum(inRuns), await sum(inLoads)]).toEqual([0, 0]);
    await expect(bench.commit(staged)).rejects.toThrow('swept');
  });

  it('merges the runs of a crowded segment without losing a device', async () => {
    const { warehouse, records } = world;
    for (let i = 0; i < 4; i++) await bench.load(rowsOf(i * 50, i * 50 + 100, 0), merging(one));
    expect(await records.manifest.runsOf([one])).toHaveLength(4);
    await warehouse.refreshUniverse(signal);
    const options = { rewriteAfterSeconds: 0, crowdedAbove: 2 };
    expect(await warehouse.compact(options, signal)).toMatchObject({ mergedRuns: 4, conflicts: 0 });
    expect(await records.manifest.runsOf([one])).toMatchObject([{ devices: 250 }]);
    await warehouse.sweep(0);
    expect(await warehouse.overlap({ segmentId: one }, [one], signal)).toEqual([250]);
  });

  it('does not merge runs that have lost devices, and says which', async () => {
    const { warehouse, records, shards } = world;
    for (let i = 0; i < 3; i++) await bench.load(rowsOf(i * 50, i * 50 + 100, 0), merging(one));
    await warehouse.refreshUniverse(signal);
    await shards[0]!.execute('truncate table run_device');
    const options = { rewriteAfterSeconds: 0, crowdedAbove: 2 };
    const { mergedRuns, damaged } = await warehouse.compact(options, signal);
    expect([mergedRuns, damaged]).toEqual([0, [expect.stringContaining(`segment ${one}`)]]);
    expect(await records.manifest.runsOf([one])).toHaveLength(3);
  });

  it('does over what it found out with runs that were replaced and swept meanwhile', async () => {
    const { warehouse, records, sum } = world;
    for (let i = 0; i < 3; i++) await bench.load(rowsOf(i * 50, i * 50 + 100, 0), merging(one));
    await warehouse.refreshUniverse(signal);
    const seen: number[] = [];
    const outcome = await whileThere(
      { graceSeconds: 0, records },
      () => records.manifest.runsOf([one]),
      async (runs) => {
        seen.push(runs.length);
        await warehouse.compact({ rewriteAfterSeconds: 0, crowdedAbove: 2 }, signal);
        await warehouse.sweep(0);
        return await sum(`select count() from run_device where ${within(runs)}`);
      },
    );
    expect([seen, outcome]).toEqual([[3, 1], 200]);
  });

  it('takes no staged run for whole that was swept', async () => {
    const { warehouse } = world;
    await bench.load(rowsOf(0, 100, 0), merging(two));
    const { change } = await bench.stage(rowsOf(0, 100, 0), merging(one));
    await warehouse.sweep(0);
    const overlap = warehouse.overlap({ staged: change.add }, [two], signal);
    await expect(overlap).rejects.toThrow('a staged run has 0 of its 100 devices');
  });

  it('lets one process make the tables while others wait', async () => {
    const address = cluster.freshAddress();
    const many = Array.from({ length: 3 }, () => world.open(0, address));
    await Promise.all(many.map((warehouse) => warehouse.checkReady()));
    for (const warehouse of many) await warehouse[Symbol.asyncDispose]();
    for (const shard of cluster.shards(address.database)) {
      await using server = shard;
      expect(await server.select('select number, name from migration')).toEqual([
        ['1', '0001-runs.sql'],
      ]);
    }
  });

  it('asks a server only for what it knows: to sync files, if it can', async () => {
    await world.warehouse.checkReady();
    const [shard] = world.shards;
    const known = await shard!.select(
      "select count() from system.merge_tree_settings where name = 'fsync_after_insert'",
    );
    const [[table]] = (await shard!.select('show create table run_device')) as [[string]];
    expect(table.includes('fsync_after_insert = 1')).toBe(known[0]![0] === '1');
    expect(table).toContain('ORDER BY (run_id, device)');
  });

  it('looks at as many devices in a pass as all shards together may hold', async () => {
    await using pair = createCluster(world.address, world.records);
    const engine = { cluster: pair, devicesPerShard: 10_000 };
    expect(await passesOver(20_000, engine)).toEqual(['1']);
    expect(await passesOver(20_001, engine)).toEqual([
      'cityHash64(device) % 2 = 0',
      'cityHash64(device) % 2 = 1',
    ]);
  });

  it('works on a single server as well', async () => {
    const address = { ...cluster.freshAddress(), cluster: null };
    await using warehouse = world.open(0, address);
    const load = warehouse.beginLoad({ jobId: 1, attempt: 1 });
    await load.add(rowBatch(rowsOf(0, 5_000, 0)));
    const staged = await load.stage(merging(one), signal);
    await load[Symbol.asyncDispose]();
    expect(staged).toMatchObject({ uniqueDevices: 5_000, change: { add: [{ devices: 5_000 }] } });
  });

  it('refuses shards that are not where they were, and a newer schema', async () => {
    await world.warehouse.checkReady();
    const installationId = await world.records.installation.identify();
    const place = await world.records.places.find('device sets');
    const layout = { database: world.address.database, cluster: 'pair', installationId, place };
    const [first, second] = world.shards;
    expect(await areMigrated([first!, second!], layout)).toBe(true);
    await expect(areMigrated([second!, first!], layout)).rejects.toThrow(
      /is shard 1 of 2 of pair, but its rows are those of shard 2 of 2/,
    );
    await expect(migrateShards([first!], layout, signal)).rejects.toThrow('shard 1 of 2');
    await first!.execute("insert into migration (number, name) values (99, 'later')");
    await expect(migrateShards([first!, second!], layout, signal)).rejects.toThrow(
      'run the newer one',
    );
  });

  it('refuses shards without the device sets that there are, rather than count none', async () => {
    const { warehouse, records, address, shards } = world;
    await bench.load(rowsOf(0, 100, 0), merging(one));
    expect(await records.places.find('device sets')).toMatchObject({
      kind: 'clickhouse',
      address: `ClickHouse at ${shards[0]!.name}, cluster pair, database ${address.database}`,
    });
    await using elsewhere = world.open(0, cluster.freshAddress());
    const refused = elsewhere.overlap({ segmentId: one }, [one], signal);
    await expect(refused).rejects.toBeInstanceOf(WrongWarehouse);
    await expect(elsewhere.checkReady()).rejects.toThrow(
      /has none of the device sets of this service, which are in ClickHouse at/,
    );

    await shards[1]!.execute(`drop database ${address.database}`);
    await using again = world.open(0, address);
    await expect(again.checkReady()).rejects.toThrow(
      `${address.database} on ${shards[1]!.name} has none`,
    );
    await expect(warehouse.overlap({ segmentId: one }, [one], signal)).rejects.toThrow();
  });

  it('refuses device sets that are files', async () => {
    const place = { kind: 'folder', mark: randomUUID(), address: '/data' } as const;
    await world.records.places.claim('device sets', place);
    await using late = world.open(0, cluster.freshAddress());
    await expect(late.checkReady()).rejects.toThrow('the device sets of this service are in /data');
  });

  it('takes over shards that a process has marked and was killed before it claimed them', async () => {
    const { warehouse, records, address, shards } = world;
    for (const shard of cluster.shards('default')) {
      await using server = shard;
      await server.execute(`create database ${address.database}`);
    }
    const installationId = await records.installation.identify();
    const layout = { ...address, installationId, place: undefined };
    const mark = await migrateShards(shards, layout, signal);
    await warehouse.checkReady();
    expect(await records.places.find('device sets')).toMatchObject({ mark });
  });

  it("refuses another service's shards, whose rows it would sweep", async () => {
    await world.warehouse.checkReady();
    await using other = await freshRecords();
    await using intruder = openClickhouseWarehouse({
      address: world.address,
      records: other.records,
      graceSeconds: 0,
    });
    await expect(intruder.checkReady()).rejects.toThrow("is another service's");
  });

  it('says so if there is no such cluster, or no such user', async () => {
    const address = cluster.freshAddress();
    await using none = world.open(0, { ...address, cluster: 'nowhere' });
    await expect(none.checkReady()).rejects.toThrow('knows no cluster nowhere');
    await using stranger = world.open(0, { ...address, password: 'wrong' });
    await expect(stranger.checkReady()).rejects.toThrow(/Wrong password|Authentication failed/);
  });
});
