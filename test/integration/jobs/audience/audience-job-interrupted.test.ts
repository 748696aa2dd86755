import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TributaryError } from '../../../../src/domain/errors.ts';
import { type ObjectStore, StorageFault } from '../../../../src/objects/port.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import type { Warehouse } from '../../../../src/warehouse/port.ts';
import {
  type Audiences,
  freshAudiences,
  type LoadingPartner,
  largeFile,
  largeRows,
} from '../../../support/audiences.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { startJobWorker } from '../../../support/job-worker.ts';
import { patience } from '../../../support/lanes.ts';

let audiences: Audiences;
let acme: LoadingPartner;

beforeEach(async () => {
  audiences = await freshAudiences();
  acme = await audiences.partner();
});
afterEach(() => audiences[Symbol.asyncDispose]());

function objectsThat(open: ObjectStore['open']): ObjectStore {
  return { ...audiences.objects, open };
}

async function problem(): Promise<unknown> {
  const load = await audiences.db
    .selectFrom('audience_load')
    .select('problem')
    .executeTakeFirstOrThrow();
  return load.problem;
}

describe('a load whose worker is lost', () => {
  it('in the middle of a prefix resumes with the uncommitted files', async () => {
    await acme.put('tea/1.csv', rows(0, 10, 'open'));
    await acme.put('tea/2.csv', largeFile('large'));
    await acme.put('tea/3.csv', rows(5, 20, 'buy'));
    const tea = await acme.create('tea/');
    const lost = await audiences.claim();
    const objects = objectsThat(async function* (version, offset) {
      if (version.key.endsWith('3.csv')) {
        await audiences.records.inTransaction(async (tx) => {
          await tx.jobs.expireLease(lost);
          await tx.jobs.reclaimExpired(5);
        });
      }
      yield* audiences.objects.open(version, offset);
    });
    // The last file is opened when the others are committed.
    const intake = { ...audiences.intake, filesAtOnce: 1 };
    await expect(audiences.run(lost, { objects, intake })).rejects.toThrow(ClaimLost);
    expect(await acme.details(tea)).toMatchObject({
      state: 'pending',
      uploadedDevices: largeRows + 10,
      uniqueDevices: largeRows + 10,
    });
    expect(await acme.files(tea)).toEqual({
      'tea/1.csv': 'done, 10 rows',
      'tea/2.csv': `done, ${largeRows} rows`,
      'tea/3.csv': 'pending, 0 rows',
    });

    const read: string[] = [];
    await audiences.work({
      objects: objectsThat((version, offset) => {
        read.push(version.key.slice(acme.prefix.length));
        return audiences.objects.open(version, offset);
      }),
    });
    expect(read).toEqual(['tea/3.csv']);
    expect(await acme.details(tea)).toMatchObject({
      state: 'done',
      uploadedDevices: largeRows + 25,
      uniqueDevices: largeRows + 20,
    });
    expect(await acme.labels(tea)).toEqual({ open: 10, large: largeRows, buy: 15 });
  });

  it('too often fails and keeps what it had committed', async () => {
    await acme.put('tea/1.csv', largeFile('large'));
    await acme.put('tea/2.csv', rows(0, 10, ''));
    const tea = await acme.create('tea/');
    await using _worker = startJobWorker(audiences, {
      maxLosses: 1,
      instead: {
        objects: objectsThat(async function* (version, offset) {
          yield* audiences.objects.open(version, offset);
          if (version.key.endsWith('2.csv')) throw new Error('unexpected');
        }),
      },
    });
    await expect.poll(async () => (await acme.details(tea)).state, patience).toBe('failed');
    expect(await acme.details(tea)).toMatchObject({ uniqueDevices: largeRows });
    expect(await acme.files(tea)).toEqual({
      'tea/1.csv': `done, ${largeRows} rows`,
      'tea/2.csv': 'failed, 0 rows',
    });
    expect(await problem()).toMatchObject({ code: 'worker_lost', file: null });
  });
});

describe('a load', () => {
  it('is retried while a dependency is unavailable', async () => {
    await acme.put('tea.csv', rows(0, 10, ''));
    const tea = await acme.create('tea.csv');
    const faults = [
      new StorageFault('access_denied', 'access denied'),
      new TributaryError('unavailable', 'away'),
    ];
    const objects = objectsThat(async function* (version, offset) {
      const fault = faults.shift();
      if (fault) throw fault;
      yield* audiences.objects.open(version, offset);
    });
    await using worker = startJobWorker(audiences, { instead: { objects } });
    await expect.poll(async () => (await acme.details(tea)).state, patience).toBe('done');
    expect(faults).toEqual([]);
    expect(worker.logged.filter((line) => line.includes('job deferred'))).toHaveLength(2);
  });

  it('fails with all its unfinished files if storage is full', async () => {
    await acme.put('tea/1.csv', rows(0, 10, 'open'));
    await acme.put('tea/2.csv', largeFile('never'));
    await acme.put('tea/3.csv', rows(10, 20, 'never'));
    const tea = await acme.create('tea/');
    let loads = 0;
    const warehouse: Warehouse = {
      ...audiences.warehouse,
      beginLoad(attempt) {
        const load = audiences.warehouse.beginLoad(attempt);
        if (loads++ === 0) return load;
        return {
          ...load,
          async stage() {
            throw new TributaryError('storage_full', 'The warehouse disk is full');
          },
        };
      },
    };
    await audiences.work({ warehouse });
    expect(await acme.details(tea)).toMatchObject({ state: 'failed', uniqueDevices: 10 });
    expect(await acme.files(tea)).toEqual({
      'tea/1.csv': 'done, 10 rows',
      'tea/2.csv': 'failed, 0 rows',
      'tea/3.csv': 'failed, 0 rows',
    });
    expect(await acme.labels(tea)).toEqual({ open: 10 });
    expect(await problem()).toMatchObject({ code: 'storage_full', file: null });
  });

  it('succeeds without a composition, matched against the previous universe, if folding fails', async () => {
    const coffee = await acme.attribute();
    await acme.put('attributes.csv', rows(0, 10, coffee));
    await acme.import('attributes.csv');
    await audiences.warehouse.refreshUniverse(AbortSignal.timeout(10_000));
    await acme.put('tea.csv', rows(5, 20, ''));
    const tea = await acme.create('tea.csv');
    const universe = await audiences.records.universe.state();
    const warehouse: Warehouse = {
      ...audiences.warehouse,
      async refreshUniverse() {
        throw new Error('damaged run');
      },
      async compare(sets, parts, signal) {
        if (parts.some(({ segmentId }) => segmentId !== universe.segmentId)) {
          throw new Error('damaged run');
        }
        return audiences.warehouse.compare(sets, parts, signal);
      },
    };
    await audiences.work({ warehouse });
    expect(await acme.details(tea)).toMatchObject({ state: 'done', matchedDevices: 5 });
    expect(await acme.composition(tea)).toBeUndefined();
  });
});
