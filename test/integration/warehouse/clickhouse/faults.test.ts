import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TributaryError } from '../../../../src/domain/errors.ts';
import { type Bench, merging, signal } from '../../../contract/warehouse-bench.ts';
import { openClickhouseBench, rowsOf } from '../../../support/clickhouse-bench.ts';
import {
  type ClickhouseCluster,
  startClickhouseCluster,
} from '../../../support/clickhouse-cluster.ts';
import type { ClickhouseWorld } from '../../../support/clickhouse-world.ts';
import { eventually } from '../../../support/http.ts';
import { machineHas } from '../../../support/requirements.ts';
import { rowBatch } from '../../../support/row-batches.ts';

function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error) => error,
  );
}

describe.skipIf(!machineHas('clickhouse-server'))('a warehouse whose shards fail', () => {
  let cluster: ClickhouseCluster;
  let world: ClickhouseWorld;
  let bench: Bench;
  let segmentId: number;
  let other: number;

  beforeAll(async () => {
    cluster = await startClickhouseCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeEach(async () => {
    ({ world, bench, one: segmentId, two: other } = await openClickhouseBench(cluster));
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it('gives an error and never a smaller count while a shard is away, and is well again after', async () => {
    const { warehouse } = world;
    await bench.load(rowsOf(0, 1_000), merging(segmentId));
    await bench.load(rowsOf(500, 1_500), merging(other));
    await cluster.kill(1);
    const verbs = [
      () => warehouse.countDistinct([segmentId, other], signal),
      () => warehouse.overlap({ segmentId }, [other], signal),
      () => warehouse.refreshUniverse(signal),
      () => bench.stage(rowsOf(1_000, 2_000), merging(segmentId)),
    ];
    for (const verb of verbs) {
      const error = await rejectionOf(verb());
      expect(error).toBeInstanceOf(TributaryError);
      expect(error).toMatchObject({ code: 'unavailable' });
    }
    await expect(warehouse.checkReady()).rejects.toThrow(/cannot be written to.*127\.0\.0\.2/);

    await cluster.start(1);
    await warehouse.checkReady();
    await bench.load(rowsOf(1_000, 2_000), merging(segmentId));
    expect(await warehouse.countDistinct([segmentId, other], signal)).toBe(2_000);
    expect(await warehouse.overlap({ segmentId }, [other], signal)).toEqual([1_000]);
  });

  it('asks as many questions at once as it has', async () => {
    const [first] = cluster.shards('default');
    await using server = first!;
    const seen = new AbortController();
    const asked = Array.from({ length: 12 }, () =>
      rejectionOf(server.execute('select sleep(3)', { signal: seen.signal })),
    );
    const atOnce = "select count() from system.processes where query like 'select sleep%'";
    await eventually(async () => expect(await server.select(atOnce)).toEqual([['12']]));
    seen.abort();
    await Promise.all(asked);
  });

  it('keeps nothing of a load that broke off in the middle', async () => {
    const { warehouse } = world;
    const job = { jobId: bench.newJob(), attempt: 1 };
    {
      await using load = warehouse.beginLoad(job);
      await load.add(rowBatch(rowsOf(0, 9_000)));
      await cluster.kill(1);
      // The failure of a block that was under way is met by whoever comes next.
      const error = await rejectionOf(
        (async () => {
          for (let i = 1; i <= 3; i++) await load.add(rowBatch(rowsOf(i * 9_000, (i + 1) * 9_000)));
          await load.stage(merging(segmentId), signal);
        })(),
      );
      expect(error).toMatchObject({ code: 'unavailable' });
    }
    await cluster.start(1);
    expect(await world.records.manifest.runsOf([segmentId])).toEqual([]);
    const staged = await bench.stage(rowsOf(0, 9_000), merging(segmentId), { ...job, attempt: 2 });
    await bench.commit(staged);
    expect(await warehouse.countDistinct([segmentId], signal)).toBe(9_000);

    await warehouse.sweep(0);
    expect(await world.sum('select count() from loaded_row')).toBe(0);
    expect(await world.sum('select count() from run_device')).toBe(9_000);
  });

  it('releases what it was given even if it could not take it', async () => {
    await world.warehouse.checkReady();
    await cluster.kill(0);
    let released = 0;
    {
      await using load = world.warehouse.beginLoad({ jobId: bench.newJob(), attempt: 1 });
      const batches = [0, 1, 2].map((i) =>
        rowBatch(rowsOf(i * 9_000, (i + 1) * 9_000), () => released++),
      );
      const outcomes = await Promise.allSettled(batches.map((batch) => load.add(batch)));
      expect(outcomes.map(({ status }) => status)).toContain('rejected');
    }
    await cluster.start(0);
    expect(released).toBe(3);
  });

  it('ends a query on the shards when it is told to stop', async () => {
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
    abort.abort(new Error('told to stop'));
    expect(await outcome).toMatchObject({ message: 'told to stop' });
    await expect.poll(isRunning, { timeout: 5_000 }).toBe('0');
  });

  it('does not wait for a shard that has frozen', async () => {
    await world.warehouse.checkReady();
    const [, shard] = world.shards;
    cluster.freeze(1);
    const error = await rejectionOf(shard!.select('select 1', { timeoutMs: 300 }));
    cluster.thaw(1);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(await shard!.select('select 1')).toEqual([['1']]);
  });

  it('tells devices apart whatever their bytes are', async () => {
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
    await bench.load(named(hostile.slice(0, 5)), merging(segmentId));
    const { change } = await bench.load(named(hostile), merging(segmentId));
    expect(change.add).toMatchObject([{ devices: 3 }]);
    const stored = await Promise.all(
      world.shards.map((shard) => shard.select('select lower(hex(device)) from run_device')),
    );
    expect(stored.flat(2).sort()).toEqual(hostile.map((each) => each.replaceAll('-', '')).sort());
    await bench.load(
      named(hostile.slice(2, 4)).map((row) => ({ ...row, isRemoval: true })),
      merging(segmentId),
    );
    expect(await world.warehouse.countDistinct([segmentId, other], signal)).toBe(6);
  });
});
