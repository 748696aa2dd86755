import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { openClickhouseWarehouse } from '../../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import {
  areMigrated,
  migrateShards,
} from '../../../../src/warehouse/clickhouse/cluster/migrate.ts';
import { WrongWarehouse } from '../../../../src/warehouse/port.ts';
import { merging, signal } from '../../../contract/warehouse-bench.ts';
import { clickhouseTest as it, rowsOf } from '../../../support/clickhouse-bench.ts';
import { limitedUsername } from '../../../support/clickhouse-cluster.ts';
import { freshRecords } from '../../../support/database.ts';
import { machineHas } from '../../../support/requirements.ts';
import { rowBatch } from '../../../support/row-batches.ts';

describe.skipIf(!machineHas('clickhouse-server'))('a warehouse on misconfigured servers', () => {
  it.for<[flaw: string, name: string, reason: string]>([
    ['one host twice', 'twice', 'two shards of cluster twice have the same host'],
    ['one server by two names', 'renamed', 'considers shard 1 of cluster renamed to be itself'],
    [
      'one port for two servers of a machine',
      'mixed',
      'considers shard 1 of cluster mixed to be itself',
    ],
    ['weights', 'weighted', 'have weights'],
  ])('refuses a cluster whose list has %s', async ([_, name, reason], { cluster, world }) => {
    await using warehouse = world.open(0, { ...cluster.freshAddress(), cluster: name });
    await expect(warehouse.checkReady()).rejects.toThrow(reason);
  });

  it.for([
    { mistake: { password: 'wrong' }, reason: /Wrong password|Authentication failed/ },
    { mistake: { cluster: 'nowhere' }, reason: /has no cluster named nowhere/ },
  ])(
    'is unavailable until the operator corrects the setting: $mistake',
    async (wrong, { world, bench, one }) => {
      await using warehouse = world.open(0, { ...world.address, ...wrong.mistake });
      await using load = warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
      await load.add(rowBatch(rowsOf(0, 10)));
      const message = expect.stringMatching(wrong.reason);
      const staged = load.stage(merging(one), signal);
      await expect(staged).rejects.toMatchObject({ code: 'unavailable', message });
      await expect(warehouse.checkReady()).rejects.toThrow(wrong.reason);
    },
  );

  it('refuses to stage when loaded rows are missing', async ({ world, bench, one }) => {
    await using load = world.warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
    await load.add(rowBatch(rowsOf(0, 9_000)));
    await expect.poll(() => world.sum('select count() from loaded_row')).toBe(8_000);
    await world.shards[1]!.execute('truncate table loaded_row');
    const staged = load.stage(merging(one), signal);
    await expect(staged).rejects.toThrow(/Only \d+ of 9000 loaded rows/);
  });

  it('refuses to stage rows that are on the wrong shards', async ({ world, bench, one }) => {
    await bench.load(rowsOf(0, 1_000), merging(one));
    const { database } = world.address;
    for (const shard of world.shards) {
      await shard.execute('drop table loaded');
      await shard.execute(
        `create table loaded as loaded_row engine = Distributed(pair, ${database}, loaded_row, sipHash64(device) + 1)`,
      );
    }
    const again = bench.load(rowsOf(0, 1_000), merging(one));
    await expect(again).rejects.toThrow('Only 0 of 1000 loaded rows are on the shards');
  });

  it('never accepts a partial result, even if the server is configured to return one', async ({
    world,
    bench,
    one,
    two,
  }) => {
    await bench.load(rowsOf(0, 1_000), merging(one));
    await bench.load(rowsOf(500, 1_500), merging(two));
    await using limited = world.open(0, { ...world.address, username: limitedUsername });
    await limited.checkReady();
    const count = limited.countDistinct([one, two], signal);
    await expect(count).rejects.toThrow('Limit for rows to GROUP BY exceeded');
    const overlap = limited.overlap({ segmentId: one }, [two], signal);
    await expect(overlap).rejects.toThrow('Limit for IN-set exceeded');
    const sets = [{ segmentId: one }, { segmentId: two }];
    const compared = limited.compare(sets, [{ segmentId: two }], signal);
    await expect(compared).rejects.toThrow('Limit for JOIN exceeded');
  });

  it('needs memory for the rows of the load, however many segments contain its devices', async ({
    world,
    bench,
  }) => {
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

  it('also works on a single server', async ({ cluster, world, one }) => {
    const address = { ...cluster.freshAddress(), cluster: null };
    await using warehouse = world.open(0, address);
    const load = warehouse.beginLoad({ jobId: 1, attempt: 1 });
    await load.add(rowBatch(rowsOf(0, 5_000)));
    const staged = await load.stage(merging(one), signal);
    await load[Symbol.asyncDispose]();
    expect(staged).toMatchObject({ uniqueDevices: 5_000, change: { add: [{ devices: 5_000 }] } });
  });

  it('refuses shards in another order, and a newer schema', async ({ world }) => {
    await world.warehouse.checkReady();
    const installationId = await world.records.installation.identify();
    const place = await world.records.places.find('device sets');
    const owned = { database: world.address.database, cluster: 'pair', installationId, place };
    const [first, second] = world.shards;
    expect(await areMigrated([first!, second!], owned)).toBe(true);
    await expect(areMigrated([second!, first!], owned)).rejects.toThrow(
      /is now shard 1 of 2 of pair, but its rows belong to shard 2 of 2/,
    );
    await expect(migrateShards([first!], owned, signal)).rejects.toThrow('shard 1 of 2');
    await first!.execute("insert into migration (number, name) values (99, 'later')");
    await expect(migrateShards([first!, second!], owned, signal)).rejects.toThrow(
      'run a newer Tributary',
    );
  });

  it('refuses shards without the device sets instead of counting zero', async ({
    cluster,
    world,
    bench,
    one,
  }) => {
    const { warehouse, records, address, shards } = world;
    await bench.load(rowsOf(0, 100), merging(one));
    expect(await records.places.find('device sets')).toMatchObject({
      kind: 'clickhouse',
      address: `ClickHouse at ${shards[0]!.name}, cluster pair, database ${address.database}`,
    });
    const another = cluster.freshAddress();
    await using elsewhere = world.open(0, another);
    const refused = elsewhere.overlap({ segmentId: one }, [one], signal);
    await expect(refused).rejects.toBeInstanceOf(WrongWarehouse);
    await expect(elsewhere.checkReady()).rejects.toThrow(
      /lacks this service's device sets, which are in ClickHouse at/,
    );
    const created = `select name from system.databases where name = '${another.database}'`;
    expect(await shards[0]!.select(created)).toEqual([]);

    await shards[1]!.execute(`drop database ${address.database}`);
    await using again = world.open(0, address);
    await expect(again.checkReady()).rejects.toThrow(
      `${address.database} on ${shards[1]!.name} lacks`,
    );
    await expect(warehouse.overlap({ segmentId: one }, [one], signal)).rejects.toThrow();
  });

  it('refuses to start if the device sets are files', async ({ cluster, world }) => {
    const place = { kind: 'folder', mark: randomUUID(), address: '/data' } as const;
    await world.records.places.register('device sets', place);
    await using late = world.open(0, cluster.freshAddress());
    await expect(late.checkReady()).rejects.toThrow('the device sets of this service are in /data');
  });

  it('adopts shards that a killed process had marked but not claimed', async ({
    cluster,
    world,
  }) => {
    const { warehouse, records, address, shards } = world;
    for (const shard of cluster.shards('default')) {
      await using server = shard;
      await server.execute(`create database ${address.database}`);
    }
    const installationId = await records.installation.identify();
    const owned = { ...address, installationId, place: undefined };
    const mark = await migrateShards(shards, owned, signal);
    await warehouse.checkReady();
    expect(await records.places.find('device sets')).toMatchObject({ mark });
  });

  it("refuses another service's shards", async ({ world }) => {
    await world.warehouse.checkReady();
    await using other = await freshRecords();
    await using intruder = openClickhouseWarehouse({
      address: world.address,
      records: other.records,
      graceSeconds: 0,
    });
    await expect(intruder.checkReady()).rejects.toThrow('belongs to another service');
  });
});
