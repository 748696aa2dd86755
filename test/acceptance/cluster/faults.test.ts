import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineHas } from '../../support/requirements.ts';
import type { RoleApart } from '../role-apart.ts';
import { until } from '../service.ts';
import { type FaultWorld, startFaultWorld } from './fault-world.ts';
import { createLane, type Lane } from './lane.ts';
import { createModel, type Model } from './model.ts';
import { untilStaged } from './staged-import.ts';
import { eventsOf, type WorkerEvent } from './worker-events.ts';

/**
 * Devices per file; files of consecutive rounds overlap. A file is too large for a small job, of which
 * one worker runs several at once.
 */
const fileDevices = 16_000;
const newDevices = 8_000;
/** Less than the size of a file, more than that of a listing. */
const heldAfterBytes = 150_000;
/** Each look asks all servers. */
const patience = { timeout: 60_000, interval: 250 };
/** Of five jobs in each lane. */
const orderRounds = 2;
const laneNames = ['red', 'blue', 'green', 'grey'];

describe.skipIf(!machineHas('clickhouse-server', 'swift'))(
  'a service whose PostgreSQL, bucket, shards and workers fail',
  () => {
    let world: FaultWorld;
    let model: Model;
    let lanes: Lane[];
    let red: Lane;
    let blue: Lane;
    let rounds = 0;

    beforeAll(async () => {
      world = await startFaultWorld();
      model = createModel(world);
      lanes = await Promise.all(laneNames.map((name) => createLane(world, model, name)));
      [red, blue] = lanes as [Lane, Lane];
      expect(await readiness()).toEqual(ready);
    });
    afterAll(() => world?.[Symbol.asyncDispose]());

    /**
     * Queues an import and an audience load in each of two lanes, in opposite orders. Returns when the
     * first job of each lane is in the middle of its file.
     */
    async function startWork(): Promise<Work> {
      const first = ++rounds * newDevices;
      const files = {
        import: await red.upload(first, fileDevices),
        append: await red.upload(first + 3_000, fileDevices),
        otherAppend: await blue.upload(first + 1_000, fileDevices),
        otherImport: await blue.upload(first + 6_000, fileDevices),
      };
      world.bucket.holdBodies(heldAfterBytes);
      const importId = await red.queueImport(files.import);
      await red.queueAppend(files.append);
      await blue.queueAppend(files.otherAppend);
      const otherImportId = await blue.queueImport(files.otherImport);
      await until('two workers to read', async () => world.bucket.heldBodies() === 2);
      expect((await red.log(importId)).status).toBe(1);
      expect((await blue.audience()).status).toBe(1);
      const load = await until('the load to start', async () =>
        events('job started', blue).find(({ job = 0 }) => job > importId && job < otherImportId),
      );
      return { importId, loadId: load.job!, otherImportId };
    }

    async function expectDone({ importId, otherImportId }: Work): Promise<void> {
      const done = { status: 2, unique_devices: String(fileDevices), errors: null };
      expect(await red.ended(importId)).toMatchObject(done);
      expect(await blue.ended(otherImportId)).toMatchObject(done);
      for (const lane of [red, blue]) {
        const { file } = await lane.audienceSettled();
        expect(file.map(({ status }) => status)).toEqual(file.map(() => 2));
      }
      await model.expectHeld();
    }

    /** Events of all workers, optionally of one lane. */
    function events(msg: string, lane?: Lane): WorkerEvent[] {
      const all = world.workers.flatMap(eventsOf).filter((event) => event.msg === msg);
      return lane ? all.filter(({ partner }) => partner === lane.partnerId) : all;
    }

    function has(worker: RoleApart, job: number): boolean {
      return eventsOf(worker).findLast((event) => event.job === job)?.msg === 'job started';
    }

    /** The starts of jobs, without those of large jobs for which the worker then found no room. */
    function starts(): WorkerEvent[] {
      return world.workers.map(eventsOf).flatMap((all) =>
        all.filter((event, i) => {
          const next = all.slice(i + 1).find(({ job }) => job === event.job);
          return event.msg === 'job started' && !next?.msg.startsWith('job waits');
        }),
      );
    }

    function startsOf(job: number): number {
      return starts().filter((event) => event.job === job).length;
    }

    /** Waits until both running jobs were deferred. */
    async function untilBothDeferred({ importId, loadId }: Work): Promise<void> {
      await until('both jobs to be deferred', async () => {
        const deferred = events('job deferred: dependency unavailable').map(({ job }) => job);
        return deferred.includes(importId) && deferred.includes(loadId);
      });
    }

    async function readiness(): Promise<unknown> {
      const answer = await fetch(`${world.url}/readyz`);
      return { status: answer.status, ...((await answer.json()) as { checks: object }).checks };
    }

    const ready = { status: 200, database: 'ok', storage: 'ok', warehouse: 'ok' };

    async function expectLost(what: 'database' | 'storage' | 'warehouse'): Promise<void> {
      const lost = { ...ready, status: 503, [what]: 'does not answer' };
      await expect.poll(readiness, patience).toEqual(lost);
    }

    async function expectReady(): Promise<void> {
      await expect.poll(readiness, patience).toEqual(ready);
    }

    test('jobs survive the restart of a shard', async () => {
      const work = await startWork();
      await world.warehouse.kill(1);
      await expectLost('warehouse');
      world.bucket.letBodiesGo();
      await untilBothDeferred(work);
      await world.warehouse.start(1);
      await expectReady();
      await expectDone(work);
    });

    test('files are not read again after a restart of PostgreSQL', async () => {
      const work = await startWork();
      await world.database.stop();
      await expectLost('database');
      await world.database.start();
      await expectReady();
      world.bucket.letBodiesGo();
      await expectDone(work);
      expect([work.importId, work.loadId].map(startsOf)).toEqual([1, 1]);
    });

    test('jobs survive an outage of PostgreSQL at commit', async () => {
      const work = await startWork();
      await world.database.stop();
      await expectLost('database');
      world.bucket.letBodiesGo();
      await untilBothDeferred(work);
      await world.database.start();
      await expectReady();
      await expectDone(work);
    });

    test('jobs survive a bucket that returns 503 for a while', async () => {
      const work = await startWork();
      world.bucket.answerAll(503);
      await expectLost('storage');
      await untilBothDeferred(work);
      world.bucket.letBodiesGo();
      world.bucket.answerAll(null);
      await expectReady();
      await expectDone(work);
    });

    test('workers frozen past their leases commit nothing and then continue to work', async () => {
      const work = await startWork();
      const frozen = [...world.workers];
      // One in the middle of its file, and one just before its commit. Only the fence stops the second,
      // because its heartbeat notices the lost lease too late.
      for (const worker of frozen) if (has(worker, work.loadId)) worker.signal('SIGSTOP');
      const staged = await untilStaged(world, work.importId);
      for (const worker of frozen) if (has(worker, work.importId)) worker.signal('SIGSTOP');
      await staged.release();
      await world.addWorker();
      await expectDone(work);
      for (const job of [work.importId, work.loadId]) {
        const ofNewWorker = eventsOf(world.workers.at(-1)!).filter((event) => event.job === job);
        expect(ofNewWorker[0]).toMatchObject({ msg: 'job requeued: worker lost', losses: 1 });
        expect(ofNewWorker.at(-1)).toMatchObject({ msg: 'job ended' });
        expect(startsOf(job)).toBe(2);
      }
      for (const worker of frozen) {
        worker.signal('SIGCONT');
        await until('the worker to notice the lost lease', async () =>
          eventsOf(worker).some(({ msg }) => msg === 'lease lost'),
        );
      }
      await model.expectHeld();

      const before = frozen.map((worker) => eventsOf(worker).length);
      const green = lanes[2]!;
      const file = await green.upload(0, fileDevices);
      const more = await startWork();
      const ofGreen = await green.queueImport(file);
      await until('three workers to read', async () => world.bucket.heldBodies() === 3);
      world.bucket.letBodiesGo();
      expect(await green.ended(ofGreen)).toMatchObject({ status: 2, errors: null });
      await expectDone(more);
      for (const [i, worker] of frozen.entries()) {
        const since = eventsOf(worker).slice(before[i]);
        expect(since.map(({ msg }) => msg)).toContain('job ended');
      }
    });

    test('four workers on four lanes keep the order of each', async () => {
      await world.addWorker();
      const files = await Promise.all(
        lanes.map(async (lane) => ({
          large: await lane.upload(0, fileDevices),
          small: await lane.upload(5_000, 70),
          other: await lane.upload(5_040, 90),
        })),
      );
      world.bucket.holdBodies(heldAfterBytes);
      const queued = await Promise.all(
        lanes.map(async (lane, i) => {
          const { large, small, other } = files[i]!;
          const ids = [await lane.queueImport(large)];
          for (let round = 0; round < orderRounds; round++) {
            ids.push(await lane.queueImport(small, 'replace'));
            await lane.queueAppend(round === 0 ? small : await lane.upload(9_000 + round, 50));
            ids.push(await lane.queueDeletion());
            ids.push(await lane.queueImport(other));
            ids.push(await lane.queueImport(small));
          }
          return ids;
        }),
      );
      await until('four workers to read', async () => world.bucket.heldBodies() === 4);
      world.bucket.letBodiesGo();
      for (const [i, lane] of lanes.entries()) {
        const endTimes = new Map<number, number>();
        for (const id of queued[i]!) {
          const log = await lane.ended(id);
          expect(log).toMatchObject({ status: 2, errors: null });
          endTimes.set(id, Date.parse(log.updated_at));
        }
        await lane.audienceSettled();
        const started = starts()
          .filter(({ job, partner }) => partner === lane.partnerId && job! >= queued[i]![0]!)
          .toSorted((a, b) => a.job! - b.job!);
        expect(started).toHaveLength(queued[i]!.length + orderRounds);
        const times = started.flatMap(({ job, time }) => [
          Date.parse(time),
          endTimes.get(job!) ?? Date.parse(time),
        ]);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }
      await model.expectHeld();
    });

    test('a worker with the wrong TRIBUTARY_WAREHOUSE refuses to start', async () => {
      const otherDatabase = world.warehouse.setting.replace('/database?', '/other?');
      const refusals = [
        {
          setting: '',
          line: /TRIBUTARY_WAREHOUSE must be set: .* are in ClickHouse at .*, database faults/,
        },
        {
          setting: otherDatabase,
          line: /the database other on .* lacks this service.s device sets/,
        },
      ];
      for (const { setting, line } of refusals) {
        const worker = world.launchWorker({ TRIBUTARY_WAREHOUSE: setting });
        expect(await worker.exited).toBe(1);
        expect(worker.logged()).toMatch(line);
        expect(worker.logged()).toMatch(/^tributary: .+\n$/);
      }
    });

    test('no process died, and only the frozen workers lost jobs', async () => {
      for (const role of [world.api, ...world.workers]) {
        expect(await Promise.race([role.exited, Promise.resolve('running')])).toBe('running');
      }
      expect(events('job failed unexpectedly')).toEqual([]);
      expect(events('job requeued: worker lost')).toHaveLength(2);
    });
  },
);

interface Work {
  /** The two running jobs. */
  readonly importId: number;
  readonly loadId: number;
  readonly otherImportId: number;
}
