import { describe, expect, vi } from 'vitest';
import { messageOf } from '../../../../src/domain/errors.ts';
import { eraseCluster } from '../../../../src/warehouse/clickhouse/erase-cluster.ts';
import { merging, signal } from '../../../contract/warehouse-bench.ts';
import { replicasTest as it, rowsOf } from '../../../support/clickhouse-bench.ts';
import type { openClickhouseWorld } from '../../../support/clickhouse-world.ts';
import { machineHas } from '../../../support/requirements.ts';

type OpenWorld = Awaited<ReturnType<typeof openClickhouseWorld>>;

/** A server that was killed copies rows again when its old session with ZooKeeper has ended. */
const catchUp = { timeout: 120_000, interval: 250 };
/** The servers: the replicas of shard 1 are 0 and 1, those of shard 2 are 2 and 3. */
const last = 3;

/** Work on a busy machine may find all servers of a shard too slow. Then it starts over, as a job does. */
function again<T>(work: () => Promise<T>): Promise<T> {
  return vi.waitFor(work, catchUp);
}

/** How many rows each server has. */
async function rowsOn({ servers }: OpenWorld): Promise<number[]> {
  const sql = 'select count() from run_device';
  const found = await Promise.all(servers.map((server) => server.select(sql)));
  return found.map(([row]) => Number(row?.[0]));
}

/** Waits until all servers are in use again, and the replicas of each shard have the same rows. */
async function waitUntilUp(world: OpenWorld): Promise<void> {
  await expect
    .poll(async () => {
      const states = (await world.warehouse.replicas()).map(({ state }) => state);
      const [a, b, c, d] = await rowsOn(world);
      return { states, isSame: a === b && c === d };
    }, catchUp)
    .toEqual({ states: ['up', 'up', 'up', 'up'], isSame: true });
}

describe.skipIf(!machineHas('clickhouse-server', 'zookeeper'))('shards with two replicas', () => {
  it('go on with exact counts while a server is down, and never read one that is behind', async ({
    cluster,
    world,
    bench,
    one,
    two,
  }) => {
    const { warehouse } = world;
    await again(() => bench.load(rowsOf(0, 1_000), merging(one)));
    await again(() => warehouse.refreshUniverse(signal));
    await waitUntilUp(world);
    await cluster.kill(1);
    await again(() => bench.load(rowsOf(500, 1_500), merging(two)));
    const removals = rowsOf(1_400, 1_500).map((row) => ({ ...row, isRemoval: true }));
    await again(() => bench.load(removals, merging(two)));
    const { segmentId } = await again(() => warehouse.refreshUniverse(signal));
    const counts = () => warehouse.overlap({ segmentId: two }, [one, two, segmentId], signal);
    expect(await again(counts)).toEqual([500, 900, 900]);
    expect(await again(() => warehouse.countDistinct([one, two], signal))).toBe(1_400);
    await again(warehouse.checkReady);
    expect(await warehouse.replicas()).toContainEqual(
      expect.objectContaining({ name: world.servers[1]!.name, state: 'down' }),
    );

    // It cannot copy what it missed, because the only other server that has it is down.
    await cluster.kill(0);
    await cluster.start(1);
    // The setting names all servers, so a process starts without the first.
    await using late = world.open(60, world.address);
    const wrong: number[] = [];
    for (const each of [warehouse, late]) {
      await again(async () => {
        const answer = await each.countDistinct([one, two], signal).catch(messageOf);
        if (typeof answer === 'number') wrong.push(answer);
        expect(answer).toContain('lack rows of the manifest');
      });
    }
    expect(wrong).toEqual([]);
    expect(await again(() => warehouse.countDistinct([one], signal))).toBe(1_000);
    await cluster.start(0);
    expect(await again(() => late.countDistinct([one, two], signal))).toBe(1_400);
    await waitUntilUp(world);
    expect(await again(counts)).toEqual([500, 900, 900]);
  });

  it('go on while a server is frozen or cut off', async ({ cluster, world, bench, one, two }) => {
    const { warehouse } = world;
    await again(() => bench.load(rowsOf(0, 1_000), merging(one)));
    cluster.freeze(1);
    await again(() => bench.load(rowsOf(500, 1_500), merging(one)));
    expect(await again(() => warehouse.countDistinct([one, two], signal))).toBe(1_500);
    cluster.unfreeze(1);
    await waitUntilUp(world);
    cluster.proxy!.answerAll('silence');
    await again(() => bench.load(rowsOf(1_000, 2_000), merging(two)));
    expect(await again(() => warehouse.countDistinct([one, two], signal))).toBe(2_000);
    cluster.proxy!.answerAll(null);
    await waitUntilUp(world);
  });

  it('give an empty server in the place of a lost one all rows', async ({
    cluster,
    world,
    bench,
    one,
    two,
  }) => {
    await again(() => bench.load(rowsOf(0, 1_000), merging(one)));
    await waitUntilUp(world);
    await cluster.kill(last);
    await cluster.empty(last);
    await cluster.start(last);
    await again(() => bench.load(rowsOf(500, 1_500), merging(two)));
    await waitUntilUp(world);
    const rows = await rowsOn(world);
    expect(rows[0]! + rows[last]!).toBe(2_000);
  });

  it('forget deleted devices only when every server has deleted them', async ({
    cluster,
    world,
    bench,
    one,
    two,
  }) => {
    const { warehouse, records } = world;
    await again(() => bench.load(rowsOf(0, 100, [0, 1]), merging(one, two)));
    await again(() => warehouse.refreshUniverse(signal));
    await waitUntilUp(world);
    await cluster.kill(1);
    await bench.drop(one);
    await again(() => warehouse.refreshUniverse(signal));
    await again(() => warehouse.compact({ rewriteAfterSeconds: 0 }, signal));
    await again(() => warehouse.sweep(0));
    expect(await world.sum('select count() from run_device')).toBe(200);
    expect(await records.pendingDeletions()).not.toMatchObject({ files: 0 });
    await cluster.start(1);
    await waitUntilUp(world);
    const left = async () => {
      await warehouse.sweep(0);
      return (await records.pendingDeletions()).files;
    };
    await expect.poll(left, catchUp).toBe(0);
    const rows = await rowsOn(world);
    expect(rows[0]! + rows[2]!).toBe(200);
    expect([rows[1], rows[last]]).toEqual([rows[0], rows[2]]);
  });

  it('copy whole runs to all servers, and lose all tables when they are erased', async ({
    cluster,
    world,
    bench,
    one,
  }) => {
    const { warehouse, records, address } = world;
    await again(() => bench.load(rowsOf(0, 1_000), merging(one)));
    const runs = await records.manifest.runsOf([one]);
    const read = () => warehouse.readRuns(runs, signal);
    const copies = await again(() => warehouse.writeRuns(read(), signal));
    expect(copies.map(({ devices }) => devices)).toEqual([1_000]);
    expect(await again(() => warehouse.haveRuns(copies, signal))).toEqual([true]);
    await waitUntilUp(world);

    await again(() => eraseCluster(address, () => true));
    await using connections = new AsyncDisposableStack();
    for (const server of cluster.servers('default')) {
      const sql = `select name from system.tables where database = '${address.database}'`;
      expect(await connections.use(server).select(sql)).toEqual([]);
    }
  });
});
