import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import {
  openClickhouseWarehouse,
  warehouseOn,
} from '../../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { Cluster } from '../../../../src/warehouse/clickhouse/cluster/cluster.ts';
import {
  areMigrated,
  migrateServers,
} from '../../../../src/warehouse/clickhouse/cluster/migrate.ts';
import { createReplicas } from '../../../../src/warehouse/clickhouse/cluster/replicas.ts';
import type { Server } from '../../../../src/warehouse/clickhouse/cluster/server.ts';
import type { ShardServer } from '../../../../src/warehouse/clickhouse/cluster/shard-identity.ts';
import { WrongWarehouse } from '../../../../src/warehouse/port.ts';
import { merging, signal } from '../../../contract/warehouse-bench.ts';
import { clickhouseTest as it, rowsOf } from '../../../support/clickhouse-bench.ts';
import { limitedUsername } from '../../../support/clickhouse-cluster.ts';
import { testLoading } from '../../../support/clickhouse-world.ts';
import { freshRecords } from '../../../support/database.ts';
import { machineHas } from '../../../support/requirements.ts';
import { rowBatch } from '../../../support/row-batches.ts';
import { expectSameShards } from '../../../support/shards-of-devices.ts';

function inOrder(servers: readonly Server[]): ShardServer[] {
  return servers.map((server, shard) => ({ server, shard }));
}

describe.skipIf(!machineHas('clickhouse-server'))('a warehouse on misconfigured servers', () => {
  it.for<[flaw: string, name: string, reason: string]>([
    ['one host twice', 'twice', 'two servers of cluster twice have the same host'],
    ['one server by two names', 'renamed', 'considers server 1 of cluster renamed to be itself'],
    [
      'one port for two servers of a machine',
      'mixed',
      'considers server 1 of cluster mixed to be itself',
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

  it.for<[rows: string, table: string, query: RegExp]>([
    ['compared with a run', 'loaded_row', /from loaded_row/],
    ['of a new run', 'run_device', /from run_device where run_id >=/],
  ])(
    'refuses to stage when rows %s are missing',
    async ([, table, query], { world, bench, one, two }) => {
      await bench.load(rowsOf(0, 1_000), merging(one));
      const replicas = createReplicas(world.address, world.records);
      function losing(cluster: Cluster): Cluster {
        const afterLoss =
          (count: Cluster['sums']): Cluster['sums'] =>
          async (sql, options) => {
            if (query.test(sql)) await world.shards[1]!.execute(`truncate table ${table}`);
            return count(sql, options);
          };
        const { sums, sumsOfCopies } = cluster;
        return { ...cluster, sums: afterLoss(sums), sumsOfCopies: afterLoss(sumsOfCopies) };
      }
      const options = { records: world.records, graceSeconds: 0, loading: testLoading };
      await using warehouse = warehouseOn(
        { ...replicas, cluster: () => losing(replicas.cluster()) },
        options,
      );
      await using load = warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
      await load.add(rowBatch(rowsOf(500, 1_500, [0, 1])));
      const staged = load.stage(merging(one, two), signal);
      await expect(staged).rejects.toThrow(/The shards have \d+ of \d+ rows that were sent/);
    },
  );

  it('sends devices to the shard that the servers look them up on', async ({
    world,
    bench,
    one,
  }) => {
    await bench.load(rowsOf(0, 1_000), merging(one));
    await bench.load(rowsOf(500, 1_500), merging(one));
    expect(await world.sum('select count() from run_device')).toBe(1_500);
    for (const [position, shard] of world.shards.entries()) {
      const misplaced = `select count() from run_device where sipHash64(device) % 2 != ${position}`;
      expect(await shard.select(misplaced)).toEqual([['0']]);
    }
    await expectSameShards(world.shards[0]!);
  });

  it('finds a device in a run that is much larger than the load', async ({ bench, one }) => {
    await bench.load(rowsOf(0, 20_000), merging(one));
    const known = await bench.load(rowsOf(19_999, 20_000), merging(one));
    expect(known.change.add).toEqual([]);
    const fresh = await bench.load(rowsOf(20_000, 20_001), merging(one));
    expect(fresh.change.add).toMatchObject([{ devices: 1 }]);
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
    const owned = { ...world.address, shards: 2, isReplicated: false, installationId, place };
    const [first, second] = world.shards;
    const members = inOrder(world.shards);
    expect(await areMigrated(members, owned)).toBe(true);
    await expect(areMigrated(inOrder([second!, first!]), owned)).rejects.toThrow(
      /is now shard 1 of 2 of pair, but its rows belong to shard 2 of 2/,
    );
    const alone = migrateServers(inOrder([first!]), { ...owned, shards: 1 }, signal);
    await expect(alone).rejects.toThrow('shard 1 of 2');
    const copied = areMigrated(members, { ...owned, isReplicated: true });
    await expect(copied).rejects.toThrow('have no replicas, but the cluster lists some');
    await first!.execute("insert into migration (number, name) values (99, 'later')");
    await expect(migrateServers(members, owned, signal)).rejects.toThrow('run a newer Tributary');
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
    const layout = { ...address, shards: 2, isReplicated: false };
    const owned = { ...layout, installationId, place: undefined };
    const mark = await migrateServers(inOrder(shards), owned, signal);
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
      loading: testLoading,
    });
    await expect(intruder.checkReady()).rejects.toThrow('belongs to another service');
  });
});
