import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { queueDeletion } from '../../../../src/actions/queue-deletion.ts';
import type { ImportDependencies } from '../../../../src/jobs/import/import.ts';
import { createWorker } from '../../../../src/jobs/worker/worker-loop.ts';
import type { ObjectStore } from '../../../../src/objects/port.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import { RunsRemoved, type Warehouse } from '../../../../src/warehouse/port.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import {
  freshImports,
  type ImportingPartner,
  type Imports,
  jobKinds,
} from '../../../support/imports.ts';
import { patience } from '../../../support/lanes.ts';

let imports: Imports;
let acme: ImportingPartner;
let tea: number;

beforeEach(async () => {
  imports = await freshImports();
  acme = await imports.partner();
  tea = await acme.attribute();
});
afterEach(() => imports[Symbol.asyncDispose]());

function objectsThat(open: ObjectStore['open']): ObjectStore {
  return { ...imports.objects, open };
}

/** A worker with some parts replaced. One loss fails a job. */
function startWorker(instead: Partial<ImportDependencies>) {
  const stopping = new AbortController();
  const worker = createWorker({
    records: imports.records,
    kinds: jobKinds({ ...imports, ...instead }),
    log: pino({ level: 'silent' }),
    concurrency: 1,
    leaseSeconds: 10,
    maxLosses: 1,
    pollMs: 20,
  });
  const ended = worker.run(stopping.signal);
  async function stop(): Promise<void> {
    stopping.abort();
    await ended;
  }
  return { stop, [Symbol.asyncDispose]: stop };
}

it('an import whose files are replaced while it reads them reads all of them again', async () => {
  await acme.put('day/1.csv', rows(0, 10, tea));
  await acme.put('day/2.csv', rows(10, 20, tea));
  const opened: string[] = [];
  const objects = objectsThat(async function* (version, offset) {
    opened.push(version.key.slice(acme.prefix.length));
    if (opened.length === 2) {
      await acme.put('day/1.csv', rows(100, 105, tea));
      await acme.put('day/2.csv', rows(103, 108, tea));
    }
    yield* imports.objects.open(version, offset);
  });
  expect(await acme.import('day/', 0, { objects })).toMatchObject({
    state: 'done',
    uniqueDevices: 8,
    totalRows: 10,
    errors: null,
  });
  expect(opened).toEqual(['day/1.csv', 'day/2.csv', 'day/1.csv', 'day/2.csv']);
  expect(await acme.counts()).toEqual([8]);
});

it('an import or a deletion whose runs are swept while it reads them starts over without a loss', async () => {
  await acme.put('devices.csv', rows(0, 10, tea));
  const attempts: unknown[] = [];
  let counts = 0;
  const warehouse: Warehouse = {
    ...imports.warehouse,
    beginLoad(attempt) {
      const load = imports.warehouse.beginLoad(attempt);
      const isFirst = attempts.push(attempt.attempt) === 1;
      const stage: typeof load.stage = async (...call) => {
        if (isFirst) throw new RunsRemoved('a file was swept');
        return await load.stage(...call);
      };
      return { ...load, stage };
    },
    async countDistinct(...call) {
      if (counts++ === 0) throw new RunsRemoved('a file was swept');
      return await imports.warehouse.countDistinct(...call);
    },
  };
  const importing = await acme.queue('devices.csv');
  const deleting = await queueDeletion(imports.records, acme.partnerId, {
    keyType: 0,
    keys: [String(tea)],
    withDefinitions: false,
  });
  await using _worker = startWorker({ warehouse });
  await expect
    .poll(async () => (await acme.log(deleting))?.state, patience)
    .toSatisfy((state) => state === 'done' || state === 'failed');
  expect(await acme.log(importing)).toMatchObject({ state: 'done', uniqueDevices: 10 });
  expect(await acme.log(deleting)).toMatchObject({ state: 'done', uniqueDevices: 10 });
  expect(attempts).toEqual([1, 2]);
  expect(counts).toBe(2);
});

it('an attempt that lost its claim while it staged commits nothing', async () => {
  await acme.put('devices.csv', rows(0, 10, tea));
  const importLogId = await acme.queue('devices.csv');
  const lost = await imports.claim();
  const warehouse: Warehouse = {
    ...imports.warehouse,
    beginLoad(attempt) {
      const load = imports.warehouse.beginLoad(attempt);
      return {
        ...load,
        async stage(meaning, signal) {
          const staged = await load.stage(meaning, signal);
          await overtake();
          return staged;
        },
      };
    },
  };
  async function overtake() {
    await imports.records.inTransaction(async (tx) => {
      await tx.jobs.expireLease(lost);
      await tx.jobs.reclaimExpired(5);
    });
    await acme.put('devices.csv', rows(5, 12, tea));
    await imports.run(await imports.claim());
  }
  await expect(imports.run(lost, { warehouse })).rejects.toThrow(new ClaimLost(lost));
  expect(await acme.log(importLogId)).toMatchObject({
    state: 'done',
    uniqueDevices: 7,
    totalRows: 7,
  });
  expect(await acme.counts()).toEqual([7]);
});

it('an import that is stopped in the middle of a file is released, and the next worker runs it', async () => {
  await acme.put('devices.csv', rows(0, 10, tea));
  const importLogId = await acme.queue('devices.csv');
  const { promise: halfRead, resolve: reportHalf } = Promise.withResolvers<void>();
  const { promise: goingOn, resolve: goOn } = Promise.withResolvers<void>();
  let readOn = false;
  const objects = objectsThat(async function* (version, offset) {
    for await (const chunk of imports.objects.open(version, offset)) {
      yield chunk.subarray(0, chunk.length / 2);
      reportHalf();
      await goingOn;
      yield chunk.subarray(chunk.length / 2);
      readOn = true;
    }
  });
  await using worker = startWorker({ objects });
  await halfRead;
  const stopped = worker.stop();
  goOn();
  await stopped;
  expect(readOn).toBe(false);
  expect(await acme.log(importLogId)).toMatchObject({ state: 'pending', totalRows: 0 });
  expect(await acme.counts()).toEqual([0]);

  await using _next = startWorker({});
  await expect
    .poll(() => acme.log(importLogId), patience)
    .toMatchObject({
      state: 'done',
      uniqueDevices: 10,
      totalRows: 10,
    });
  expect(await acme.counts()).toEqual([10]);
});

it('an import that fails unexpectedly too often reports it and applies nothing', async () => {
  await acme.put('devices.csv', rows(0, 10, tea));
  const importLogId = await acme.queue('devices.csv');
  const objects = objectsThat(async function* (version, offset) {
    yield* imports.objects.open(version, offset);
    throw new Error('unexpected');
  });
  await using _worker = startWorker({ objects });
  await expect
    .poll(() => acme.log(importLogId), patience)
    .toMatchObject({
      state: 'failed',
      uniqueDevices: 0,
      totalRows: 0,
      errors: [{ code: 'worker_lost', file: null, line: null, count: 1 }],
    });
  expect(await acme.counts()).toEqual([0]);
});
