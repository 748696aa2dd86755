import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { applySuppressions } from '../../../../src/jobs/privacy/apply-suppressions.ts';
import { carryOutRequests } from '../../../../src/jobs/privacy/carry-out-requests.ts';
import { readSuppression } from '../../../../src/jobs/worker/suppression.ts';
import { openClickhouseWarehouse } from '../../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { Cluster } from '../../../../src/warehouse/clickhouse/cluster/cluster.ts';
import { createReplicas } from '../../../../src/warehouse/clickhouse/cluster/replicas.ts';
import { createCompare } from '../../../../src/warehouse/clickhouse/compare.ts';
import { countRuns } from '../../../../src/warehouse/clickhouse/count-runs.ts';
import { createFindSuppressed } from '../../../../src/warehouse/clickhouse/find-suppressed.ts';
import { withCurrentRuns } from '../../../../src/warehouse/clickhouse/rows/current-runs.ts';
import { answersFor } from '../../../../src/warehouse/clickhouse/rows/device-answers.ts';
import { deviceList } from '../../../../src/warehouse/clickhouse/rows/device-text.ts';
import { passesOver } from '../../../../src/warehouse/clickhouse/rows/passes.ts';
import { batchOfFile, runId } from '../../../../src/warehouse/clickhouse/rows/run-ids.ts';
import { deviceTables, within } from '../../../../src/warehouse/clickhouse/rows/sql.ts';
import { createUniverseFold } from '../../../../src/warehouse/clickhouse/universe-fold.ts';
import { idsOf, packed } from '../../../contract/suppressed-devices.ts';
import { merging, signal } from '../../../contract/warehouse-bench.ts';
import { clickhouseTest as it, rowsOf } from '../../../support/clickhouse-bench.ts';
import { limitedUsername } from '../../../support/clickhouse-cluster.ts';
import { testLoading } from '../../../support/clickhouse-world.ts';
import { deviceNumber, deviceRows } from '../../../support/devices.ts';
import { freshImports } from '../../../support/imports.ts';
import { machineHas } from '../../../support/requirements.ts';
import { rowBatch } from '../../../support/row-batches.ts';
import { openShardSteps } from '../../../support/shard-steps.ts';
import { runShared } from '../../../support/shared-jobs.ts';

const inRuns = 'select count() from run_device';
const inProfiles = 'select count() from profile_device';
const inLoads = 'select count() from loaded_row';
const inBatches = 'select count() from batch';

/** Passes on each query to a shard and the number of rows that it returns. */
function observed(cluster: Cluster, observe: (sql: string, rows: number) => void): Cluster {
  return {
    ...cluster,
    onEach: (work) =>
      cluster.onEach((shard, position) => {
        const select: typeof shard.select = async (sql, options) => {
          const rows = await shard.select(sql, options);
          observe(sql, rows.length);
          return rows;
        };
        return work({ ...shard, select }, position);
      }),
  };
}

describe.skipIf(!machineHas('clickhouse-server'))('an import into a ClickHouse warehouse', () => {
  it('that two workers read has the counts of one', async ({ cluster }) => {
    await using imports = await freshImports();
    const address = cluster.freshAddress();
    await using warehouse = openClickhouseWarehouse({
      records: imports.records,
      address,
      graceSeconds: 0,
      loading: testLoading,
    });
    const acme = await imports.partner();
    const tea = await acme.attribute();
    await acme.put('day/0.csv', deviceRows(0, 50, tea));
    await acme.import('day/0.csv', 0, { warehouse });
    for (const n of [1, 2, 3, 4]) {
      await acme.put(`day/${n}.csv`, deviceRows(n * 10, n * 10 + 30, tea));
    }
    const importLogId = await acme.queue('day/');
    expect(await runShared(imports, { warehouse })).toBe(2);
    expect(await acme.log(importLogId)).toMatchObject({ uniqueDevices: 70, totalRows: 170 });
    expect(await acme.counts()).toEqual([70]);
  });
});

describe.skipIf(!machineHas('clickhouse-server'))('maintenance of a ClickHouse warehouse', () => {
  it('deletes the batches of attempts that never committed', async ({ world, bench, one }) => {
    const { warehouse, sum } = world;
    await bench.load(rowsOf(0, 100), merging(one));
    await bench.stage(rowsOf(50, 300), merging(one));
    expect(await sum(inRuns)).toBe(300);
    expect(await warehouse.sweep(0)).toMatchObject({ files: 1, runs: 1 });
    expect(await sum(inRuns)).toBe(100);
    await warehouse.sweep(0);
    expect(await sum(inBatches)).toBe(2);
    expect(await warehouse.sweep(0)).toEqual({ files: 0, loads: 0, runs: 0 });
  });

  it('deletes the dropped runs of a batch and keeps the others', async ({
    world,
    bench,
    one,
    two,
  }) => {
    const { warehouse, records, sum } = world;
    await bench.load(rowsOf(0, 100, [0, 1]), merging(one, two));
    await warehouse.refreshUniverse(signal);
    await bench.drop(one);
    // The universe has not folded the dropped runs yet.
    await warehouse.sweep(0);
    expect(await sum(inRuns)).toBe(300);
    await warehouse.refreshUniverse(signal);
    // The profile has the same devices.
    expect(await records.pendingDeletions()).toMatchObject({ files: 2 });
    expect(await warehouse.sweep(0)).toMatchObject({ runs: 1 });
    expect([await sum(inRuns), await sum(inProfiles)]).toEqual([200, 100]);
    expect(await records.pendingDeletions()).toMatchObject({ files: 1 });
    await warehouse.compact({ rewriteAfterSeconds: 0 }, signal);
    expect(await warehouse.sweep(0)).toMatchObject({ runs: 1 });
    expect([await sum(inRuns), await sum(inProfiles)]).toEqual([200, 0]);
    expect(await records.pendingDeletions()).toMatchObject({ files: 0 });
    expect(await warehouse.overlap({ segmentId: two }, [one, two], signal)).toEqual([0, 100]);
    await bench.drop(two);
    await warehouse.refreshUniverse(signal);
    await warehouse.sweep(0);
    expect(await sum(inRuns)).toBe(0);
  });

  it('keeps dropped runs for a grace period that begins when a sweep first finds them', async ({
    world,
    bench,
    one,
    two,
  }) => {
    const { warehouse, sum } = world;
    await bench.load(rowsOf(0, 100, [0, 1]), merging(one, two));
    await warehouse.refreshUniverse(signal);
    await bench.drop(one);
    await warehouse.refreshUniverse(signal);
    expect(await warehouse.sweep(60)).toMatchObject({ runs: 0 });
    expect(await sum(inRuns)).toBe(300);
  });

  it('ends a privacy request when the rows of its device are deleted, and has the device in no query', async ({
    world,
    bench,
    one,
    two,
  }) => {
    const { warehouse, records, address, sum } = world;
    const digits = deviceNumber(5).replaceAll('-', '');
    await bench.load([...rowsOf(0, 50, [0, 1]), ...rowsOf(50, 100, [1])], merging(one, two));
    await warehouse.refreshUniverse(signal);
    expect(await sum(inProfiles)).toBe(100);
    const requestId = await records.privacyRequests.create({
      kind: 'delete',
      reference: '',
      identifiers: [{ device: digits, digest: createHash('sha256').update(digits).digest() }],
    });
    const journal = { append: async () => ({ journalId: 'none', bytes: 0 }) };
    const requests = carryOutRequests({ records, warehouse, journal });
    await requests.run(signal);
    await applySuppressions({ records, warehouse }).run(signal);
    await requests.run(signal);
    const state = async () => (await records.privacyRequests.find(requestId))?.state;
    const held = () =>
      Promise.all(
        deviceTables.map((table) =>
          sum(`select count() from ${table} where device = unhex('${digits}')`),
        ),
      );
    expect(await state()).toBe('removed');
    expect(Math.min(...(await held()))).toBeGreaterThan(0);
    await warehouse.refreshUniverse(signal);
    await warehouse.sweep(0);
    await requests.run(signal);
    expect([await state(), await held()]).toEqual(['removed', [0, 1]]);
    await warehouse.compact({ rewriteAfterSeconds: 0 }, signal);
    await warehouse.sweep(0);
    await requests.run(signal);
    expect([await state(), await held()]).toEqual(['done', [0, 0]]);
    expect(await warehouse.countDistinct([one, two], signal)).toBe(99);

    // Servers log queries.
    const queries: string[] = [];
    await using replicas = createReplicas(address, records);
    const cluster = observed(replicas.cluster(), (sql) => queries.push(sql));
    const find = createFindSuppressed({
      records,
      cluster,
      graceSeconds: 60,
      devicesPerShard: 5_000,
    });
    const { suppressed } = await readSuppression(records);
    expect(
      idsOf(await find(packed([deviceNumber(5), deviceNumber(6)]), suppressed!, signal)),
    ).toEqual([deviceNumber(5)]);
    expect(queries).toHaveLength(2);
    expect(queries.join()).not.toContain(digits);
  });

  it('counts the rows of each run, for the check after a restore', async ({
    world,
    bench,
    one,
  }) => {
    const { address, records } = world;
    await bench.load(rowsOf(0, 100), merging(one));
    const [stored] = await records.manifest.runsOf([one]);
    const key = `${stored!.file} ${stored!.firstRowGroup}`;
    expect((await countRuns(address, records)).get(key)).toBe(100);
  });

  it('is restored from a backup by the documented steps', async ({
    cluster,
    world,
    bench,
    one,
    two,
  }) => {
    const { address, records, shards, warehouse } = world;
    await bench.load(rowsOf(0, 100, [0, 1]), merging(one, two));
    await warehouse.refreshUniverse(signal);
    const counts = await countRuns(address, records);
    await using steps = await openShardSteps(cluster, address);
    await steps.backup();
    for (const shard of shards) await shard.execute(`drop database ${address.database}`);
    await expect(countRuns(address, records)).rejects.toThrow('restore the shard from its backup');
    await steps.restore();
    expect([...counts.values()]).toEqual([100, 100, 100, 100]);
    expect(await countRuns(address, records)).toEqual(counts);
    await bench.load(rowsOf(50, 150), merging(one));
    expect(await warehouse.countDistinct([one, two], signal)).toBe(150);
  });

  it('does not sweep a running load', async ({ world, bench, one }) => {
    const { warehouse, records } = world;
    const { partnerId } = await records.partners.create('Acme');
    await records.inTransaction((tx) => tx.jobs.submit(partnerId, 'import'));
    const claim = await records.jobs.claim(60);
    await using load = warehouse.beginLoad(claim!);
    await load.add(rowBatch(rowsOf(0, 9_000)));
    await warehouse.sweep(0);
    await load.add(rowBatch(rowsOf(9_000, 12_000)));
    const staged = await load.stage(merging(one), signal);
    await warehouse.sweep(0);
    await bench.commit(staged);
    expect(await warehouse.countDistinct([one], signal)).toBe(12_000);
  });

  it('deletes rows that are written to a batch after it was swept', async ({
    world,
    bench,
    one,
  }) => {
    const { warehouse, shards, sum } = world;
    const staged = await bench.stage(rowsOf(0, 100), merging(one));
    const { file } = staged.change.add[0]!;
    await warehouse.sweep(60);
    await warehouse.sweep(0);
    expect(await sum(inRuns)).toBe(0);
    // A frozen worker resumes.
    const batch = batchOfFile(file);
    await shards[0]!.execute(`insert into run_device values (${runId(batch, 0)}, 'late')`);
    await shards[0]!.execute(`insert into loaded_row values (${batch}, 0, 0, 'late')`);
    expect(await sum(inRuns)).toBe(1);
    await warehouse.sweep(0);
    expect([await sum(inRuns), await sum(inLoads)]).toEqual([0, 0]);
    await expect(bench.commit(staged)).rejects.toThrow('swept');
  });

  it('merges the runs of a crowded segment without losing a device', async ({
    world,
    bench,
    one,
  }) => {
    const { warehouse, records } = world;
    for (let i = 0; i < 4; i++) await bench.load(rowsOf(i * 50, i * 50 + 100), merging(one));
    expect(await records.manifest.runsOf([one])).toHaveLength(4);
    await warehouse.refreshUniverse(signal);
    const options = { rewriteAfterSeconds: 0, crowdedAbove: 2 };
    expect(await warehouse.compact(options, signal)).toMatchObject({ mergedRuns: 4, conflicts: 0 });
    expect(await records.manifest.runsOf([one])).toMatchObject([{ devices: 250 }]);
    await warehouse.sweep(0);
    expect(await warehouse.overlap({ segmentId: one }, [one], signal)).toEqual([250]);
  });

  it('reports runs that have lost devices and does not merge them', async ({
    world,
    bench,
    one,
  }) => {
    const { warehouse, records, shards } = world;
    for (let i = 0; i < 3; i++) await bench.load(rowsOf(i * 50, i * 50 + 100), merging(one));
    await warehouse.refreshUniverse(signal);
    await shards[0]!.execute('truncate table run_device');
    const options = { rewriteAfterSeconds: 0, crowdedAbove: 2 };
    const { mergedRuns, damaged } = await warehouse.compact(options, signal);
    expect([mergedRuns, damaged]).toEqual([0, [expect.stringContaining(`segment ${one}`)]]);
    expect(await records.manifest.runsOf([one])).toHaveLength(3);
  });

  it('starts over if runs were replaced and swept meanwhile', async ({ world, bench, one }) => {
    const { warehouse, records, sum } = world;
    for (let i = 0; i < 3; i++) await bench.load(rowsOf(i * 50, i * 50 + 100), merging(one));
    await warehouse.refreshUniverse(signal);
    const seen: number[] = [];
    await using replicas = createReplicas(world.address, records);
    const outcome = await withCurrentRuns(
      { cluster: replicas.cluster(), graceSeconds: 0, records },
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

  it('an overlap with a swept staged run fails', async ({ world, bench, one, two }) => {
    const { warehouse } = world;
    await bench.load(rowsOf(0, 100), merging(two));
    const { change } = await bench.stage(rowsOf(0, 100), merging(one));
    await warehouse.sweep(0);
    const overlap = warehouse.overlap({ staged: change.add }, [two], signal);
    await expect(overlap).rejects.toThrow('0 of its 100 devices are left');
  });

  it('one process creates the tables while others wait', async ({ cluster, world }) => {
    const address = cluster.freshAddress();
    const many = Array.from({ length: 3 }, () => world.open(0, address));
    await Promise.all(many.map((warehouse) => warehouse.checkReady()));
    for (const warehouse of many) await warehouse[Symbol.asyncDispose]();
    for (const shard of cluster.shards(address.database)) {
      await using server = shard;
      expect(await server.select('select number, name from migration order by number')).toEqual([
        ['1', '0001-runs.sql'],
        ['2', '0002-all-devices.sql'],
        ['3', '0003-profiles.sql'],
        ['4', '0004-no-distributed-tables.sql'],
      ]);
    }
  });

  it('every device is in one part of a long answer', async ({ world }) => {
    await world.warehouse.checkReady();
    const [shard] = world.shards;
    const parts = answersFor(1_200_000);
    const devices = ['00000000', '55555555', '55555556', 'ffffffff'].map((bits) => bits.repeat(4));
    const found = await shard!.select(`select ${parts.map((part) => `toUInt8(${part})`).join()}
      from (select arrayJoin([${deviceList(devices)}]) as device) order by device`);
    expect(found).toEqual([
      ['1', '0', '0'],
      ['1', '0', '0'],
      ['0', '1', '0'],
      ['0', '0', '1'],
    ]);
  });

  it('sets fsync only on servers that support it', async ({ world }) => {
    await world.warehouse.checkReady();
    const [shard] = world.shards;
    const known = await shard!.select(
      "select count() from system.merge_tree_settings where name = 'fsync_after_insert'",
    );
    const [[table]] = (await shard!.select('show create table run_device')) as [[string]];
    expect(table.includes('fsync_after_insert = 1')).toBe(known[0]![0] === '1');
    expect(table).toContain('ORDER BY (run_id, device)');
  });

  it('a pass covers as many devices as all shards together may keep in memory', async ({
    world,
  }) => {
    await using pair = createReplicas(world.address, world.records);
    const engine = { cluster: pair.cluster(), devicesPerShard: 10_000 };
    expect(await passesOver(20_000, engine)).toEqual(['1']);
    expect(await passesOver(20_001, engine)).toEqual([
      'cityHash64(device) % 2 = 0',
      'cityHash64(device) % 2 = 1',
    ]);
  });

  it('compares audiences in as many queries as their counts and the memory of the shards require', async ({
    world,
    bench,
    one,
  }) => {
    const { records, warehouse, address } = world;
    const create = (kind: 'attribute' | 'audience', count: number) =>
      Promise.all(Array.from({ length: count }, () => records.segments.create(kind)));
    const others = await create('attribute', 9);
    const numbers = [one, ...others].map((_, number) => number);
    await bench.load(rowsOf(0, 240, numbers), merging(one, ...others));
    await warehouse.refreshUniverse(signal);
    await bench.load(rowsOf(240, 270), merging(one));
    const audiences = await create('audience', 6);
    for (const [i, audience] of audiences.entries()) {
      await bench.load(rowsOf(i * 38, i * 38 + 48 + i), merging(audience));
    }
    const sets = audiences.map((segmentId) => ({ segmentId }));
    const queries: { sql: string; rows: number }[] = [];
    // This user's joins have at most 100 rows on a shard.
    await using replicas = createReplicas({ ...address, username: limitedUsername }, records);
    const cluster = observed(replicas.cluster(), (sql, rows) => queries.push({ sql, rows }));
    const engine = { records, cluster, graceSeconds: 60, devicesPerShard: 170 };
    const whole = { version: 2, isGain: false, devices: [48, 49, 50, 51, 52, 53] };

    expect(await createCompare(engine, 8)(sets, [{ segmentId: one }], signal)).toEqual([whole]);
    // On two shards, eight counts are those of four audiences. The join of four would be too large.
    const byProfile = queries.filter(({ sql }) => sql.includes('profile_device'));
    expect(byProfile.map(({ rows }) => rows)).toEqual([3, 3, 3, 3]);

    queries.length = 0;
    const gain = await createCompare(engine, 4)(sets, [{ segmentId: one, since: 1 }], signal);
    expect(gain).toEqual([{ version: 2, isGain: true, devices: [0, 0, 0, 0, 0, 3] }]);
    expect(queries).toHaveLength(6);
  });

  it('repeats a fold whose batch was swept while it was frozen', async ({ world, bench, one }) => {
    const { warehouse, records } = world;
    await bench.load(rowsOf(0, 100), merging(one));
    await warehouse.refreshUniverse(signal);
    await bench.drop(one);
    await using replicas = createReplicas(world.address, records);
    const shards = replicas.cluster();
    let isAwake = false;
    const frozen: Cluster = {
      ...shards,
      async sums(sql, options) {
        if (!isAwake) await warehouse.sweep(0);
        isAwake = true;
        return await shards.sums(sql, options);
      },
    };
    const engine = { records, cluster: frozen, graceSeconds: 60, devicesPerShard: 5_000 };
    const fold = createUniverseFold(records, (work) => work(engine));
    const { segmentId } = await fold(signal);
    expect(await warehouse.countDistinct([segmentId], signal)).toBe(0);
  });

  it('queues no delete behind an unfinished one, and stops waiting when cancelled', async ({
    world,
    bench,
    one,
  }) => {
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
      await expect(other.sweep(0)).rejects.toThrow('has not finished an earlier delete');
      expect(await sum(mutations)).toBe(2);
      stopping.abort();
      await stopped;
    } finally {
      await shards[0]!.execute('system start merges');
    }
  });
});
