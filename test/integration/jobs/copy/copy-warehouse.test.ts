import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManifestConflict } from '../../../../src/domain/errors.ts';
import type { ClickhouseAddress } from '../../../../src/domain/warehouse/address.ts';
import { WarehouseMoved } from '../../../../src/records/warehouse/bound-to-place.ts';
import {
  type ClickhouseCluster,
  startClickhouseCluster,
} from '../../../support/clickhouse-cluster.ts';
import { machineHas } from '../../../support/requirements.ts';
import { type CopyWorld, openCopyWorld, range } from './copy-world.ts';

const { signal } = new AbortController();

describe.skipIf(!machineHas('clickhouse-server'))('a copy of all device sets', () => {
  let cluster: ClickhouseCluster;

  beforeAll(async () => {
    cluster = await startClickhouseCluster();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const shards = (): ClickhouseAddress => cluster.freshAddress();
  const oneServer = (): ClickhouseAddress => ({ ...cluster.freshAddress(), cluster: null });

  /** Two attributes with profiles, and an audience. */
  async function filledWorld(): Promise<CopyWorld & { ids: number[] }> {
    const world = await openCopyWorld();
    const ids = [
      await world.newSegment(),
      await world.newSegment(),
      await world.newSegment('audience'),
    ];
    for (const [i, id] of ids.entries()) {
      await world.load(id, range(i * 100, i * 100 + 300));
      await world.load(id, range(i * 100 + 200, i * 100 + 500));
    }
    await world.current().refreshUniverse(signal);
    return Object.assign(world, { ids });
  }

  async function databases(address: ClickhouseAddress): Promise<string[][][]> {
    const servers = cluster.shards('default');
    const sql = `select name from system.databases where name = '${address.database}'`;
    try {
      return await Promise.all(servers.map((server) => server.select(sql)));
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  }

  it('goes from run files to a server, to shards and back, while loads go on', async () => {
    await using world = await filledWorld();
    const [first, , audience] = world.ids as [number, number, number];
    const versions = () =>
      world.db
        .selectFrom('run')
        .select(['run_id', 'created_at'])
        .where('segment_id', '=', world.ids[1]!)
        .orderBy('run_id')
        .execute();
    const before = await versions();
    const places = [oneServer(), shards(), null];
    let number = 1_000;
    for (const [i, place] of places.entries()) {
      let isOver = false;
      const loading = (async () => {
        while (!isOver) {
          await world.load(first, range(number, number + 7));
          await world.load(audience, range(number, number + 3));
          number += 5;
        }
      })();
      const copyId = await world.request(place);
      const copying = (await world.task()).run(signal);
      await copying;
      isOver = true;
      await loading;
      const copy = (await world.records.warehouseCopies.find(copyId))!;
      expect(copy).toMatchObject({ state: 'done', comparedSegments: expect.any(Number) });
      expect(copy.comparedSegments).toBeGreaterThan(2);
      await world.open();
      await world.expectModel();
      await world.forget();
      await world.expectModel();
      if (i === 0) expect(await world.files()).toEqual([]);
      else expect(await databases(places[i - 1]!)).toEqual([[], []]);
    }
    // Nothing else changed about runs that no load touched.
    expect(await versions()).toEqual(before);
    await world.current().compact({ rewriteAfterSeconds: 0 }, signal);
    await world.current().sweep(0);
    await world.expectModel();
  }, 120_000);

  it('refuses what was staged in the old place, and keeps the old place as it was', async () => {
    await using world = await filledWorld();
    const [id] = world.ids as [number];
    const staged = await world.stage(id, range(5_000, 5_100));
    const files = await world.files();
    const old = await openOld(world);
    await world.copyTo(shards());
    const commit = world.records.inTransaction((tx) => tx.manifest.apply(staged.change));
    await expect(commit).rejects.toThrow(ManifestConflict);
    // A process that has not noticed the move neither finds zero devices nor deletes a file.
    await expect(old.overlap({ segmentId: id }, world.ids, signal)).rejects.toThrow(WarehouseMoved);
    await expect(old.sweep(0)).rejects.toThrow(WarehouseMoved);
    const late = await world.stage(id, range(6_000, 6_010), old).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(WarehouseMoved);
    expect(await world.files()).toEqual(files);
    await old[Symbol.asyncDispose]();
    await world.expectModel();
    await world.load(id, range(5_000, 5_100));
    await world.expectModel();
  }, 60_000);

  /** A second warehouse on the place in use, as in another process. */
  async function openOld(world: CopyWorld) {
    const { openTestWarehouse } = await import('../../../support/warehouse.ts');
    return openTestWarehouse(world.directory, world.records.inPlace(null));
  }

  it('goes on after a crash, and copies again what the new place has lost', async () => {
    await using world = await filledWorld();
    const address = shards();
    const copyId = await world.request(address);
    const { warehouseCopies } = world.records;
    const crash = new AbortController();
    const add = warehouseCopies.add;
    const task = await world.task();
    // Crashes when the first step is recorded.
    Object.assign(warehouseCopies, {
      add: async (...args: Parameters<typeof add>) => {
        await add(...args);
        crash.abort(new Error('crashed'));
        crash.signal.throwIfAborted();
      },
    });
    await expect(task.run(crash.signal)).rejects.toThrow('crashed');
    Object.assign(warehouseCopies, { add });
    const { runs, copiedRuns } = await warehouseCopies.progress();
    expect(copiedRuns).toBe(runs);
    await world.load(world.ids[0]!, range(7_000, 7_100));
    // One of the shards comes back without its rows.
    const [, second] = cluster.shards(address.database);
    await second!.execute('drop table run_device');
    await second!.execute(
      'create table run_device (run_id UInt64, device FixedString(16)) engine = MergeTree order by (run_id, device)',
    );
    await second![Symbol.asyncDispose]();
    await (await world.task()).run(signal);
    expect((await warehouseCopies.find(copyId))?.state).toBe('done');
    await world.open();
    await world.expectModel();
  }, 60_000);

  it('leaves nothing behind when it is aborted, and can begin again', async () => {
    await using world = await filledWorld();
    const { warehouseCopies } = world.records;
    const address = shards();
    const files = await world.files();
    const copyId = await world.request(address);
    expect(await warehouseCopies.request({ kind: 'folder', address: '', clickhouse: null })).toBe(
      undefined,
    );
    // Interrupted before the switch.
    const task = await world.task();
    const { switchOver } = warehouseCopies;
    Object.assign(warehouseCopies, { switchOver: () => Promise.reject(new Error('interrupted')) });
    await expect(task.run(signal)).rejects.toThrow('interrupted');
    Object.assign(warehouseCopies, { switchOver });
    expect((await warehouseCopies.find(copyId))?.problem).toBe('interrupted');
    expect(await databases(address)).not.toEqual([[], []]);
    await warehouseCopies.move(copyId, 'copying', 'aborting');
    await (await world.task()).run(signal);
    expect(await warehouseCopies.find(copyId)).toMatchObject({
      state: 'aborted',
      to: { clickhouse: null },
    });
    expect(await databases(address)).toEqual([[], []]);
    expect(await world.files()).toEqual(files);
    expect(await world.db.selectFrom('copied_run').selectAll().execute()).toEqual([]);
    await world.expectModel();
    await world.copyTo(address);
    await world.expectModel();
  }, 60_000);

  it('deletes devices in the new place that were dropped while it was filled', async () => {
    await using world = await filledWorld();
    const [id, other] = world.ids as [number, number];
    const address = oneServer();
    await world.request(address);
    const { warehouseCopies } = world.records;
    const { switchOver } = warehouseCopies;
    const task = await world.task();
    Object.assign(warehouseCopies, { switchOver: () => Promise.reject(new Error('interrupted')) });
    await expect(task.run(signal)).rejects.toThrow('interrupted');
    Object.assign(warehouseCopies, { switchOver });
    await world.records.inTransaction((tx) => tx.manifest.empty([id]));
    world.model.set(id, new Set());
    await (await world.task()).run(signal);
    await world.open();
    await world.expectModel();
    // By a worker that does not know of the move yet.
    const late = { file: 'late', jobId: null, attempt: null };
    await world.records.inPlace(null).runFiles.register(late);
    await world.current().compact({ rewriteAfterSeconds: 0 }, signal);
    await world.current().sweep(0);
    await world.current().sweep(0);
    const files = await world.db.selectFrom('run_file').select('file').execute();
    expect(files.map(({ file }) => file)).not.toContain('late');
    const [server] = cluster.shards(address.database);
    const [row] = await server!.select('select count() from run_device');
    await server![Symbol.asyncDispose]();
    const stored = await world.records.manifest.totals();
    const kept = [...world.model.values()].reduce((sum, set) => sum + set.size, 0);
    expect(stored.runs).toBeGreaterThan(0);
    // The universe has the devices of the other attribute.
    expect(Number(row?.[0])).toBe(kept + world.model.get(other)!.size);
  }, 60_000);

  it('is refused if the place is the one in use', async () => {
    const address = oneServer();
    await using world = await openCopyWorld(address);
    const id = await world.newSegment();
    await world.load(id, range(0, 10));
    // Under another name of the same server.
    await world.request({ ...address, url: address.url.replace('127.0.0.1', 'localhost') });
    await expect((await world.task()).run(signal)).rejects.toThrow('already');
    await world.expectModel();
  }, 60_000);

  it('goes on when a copied file is lost', async () => {
    const address = oneServer();
    await using world = await openCopyWorld(address);
    const id = await world.newSegment();
    await world.load(id, range(0, 1_000));
    await world.request(null);
    const { warehouseCopies } = world.records;
    const { randomSegments } = warehouseCopies;
    const task = await world.task();
    Object.assign(warehouseCopies, { randomSegments: () => Promise.reject(new Error('stop')) });
    await expect(task.run(signal)).rejects.toThrow('stop');
    Object.assign(warehouseCopies, { randomSegments });
    for (const name of await world.files()) await rm(join(world.directory, name));
    await (await world.task()).run(signal);
    await world.open();
    await world.expectModel();
  }, 60_000);
});
