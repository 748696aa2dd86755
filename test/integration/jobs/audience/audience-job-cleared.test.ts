import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../../src/objects/port.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import type { Warehouse } from '../../../../src/warehouse/port.ts';
import {
  type Audiences,
  freshAudiences,
  type LoadingPartner,
  largeFile,
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

const promptlyMs = 2_000;

/** Files called `endless` never end. */
function endlessly(onChunk: (chunks: number) => void): ObjectStore {
  const chunk = Buffer.from(rows(0, 25_000, 'open'));
  return {
    ...audiences.objects,
    async *open(version, offset) {
      if (!version.key.endsWith('endless')) return yield* audiences.objects.open(version, offset);
      for (let chunks = 1; ; chunks++) {
        onChunk(chunks);
        yield chunk;
      }
    },
  };
}

/** The real warehouse, with something to be done at a step of a load. */
function warehouseThat(step: 'before' | 'after', act: () => Promise<void>): Warehouse {
  return {
    ...audiences.warehouse,
    beginLoad(attempt) {
      const load = audiences.warehouse.beginLoad(attempt);
      return {
        ...load,
        async stage(meaning, signal) {
          if (step === 'before') await act();
          const staged = await load.stage(meaning, signal);
          if (step === 'after') await act();
          return staged;
        },
      };
    },
  };
}

async function jobStates(): Promise<string[]> {
  const jobs = await audiences.db.selectFrom('job').select('state').orderBy('job_id').execute();
  return jobs.map(({ state }) => state);
}

const nothing = { uploadedDevices: 0, uniqueDevices: 0, matchedDevices: 0, files: [] };

describe('an audience that is cleared', () => {
  it('while it reads a file without end stops at once, and what was appended since loads', async () => {
    await acme.put('endless', 'endless');
    await acme.put('tea.csv', rows(0, 10, 'open'));
    const tea = await acme.create('endless');
    let pulled = 0;
    const objects = endlessly((chunks) => {
      pulled = chunks;
    });
    await using worker = startJobWorker(audiences, { instead: { objects } });
    // Well into a load of its own: 16 MiB are held before that.
    await expect.poll(() => pulled, patience).toBeGreaterThan(60);
    const begun = performance.now();
    await acme.clear(tea);
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    await acme.append(tea, 'tea.csv');
    await expect.poll(jobStates, patience).toEqual(['cancelled', 'done']);
    expect(performance.now() - begun).toBeLessThan(promptlyMs);
    expect(await acme.details(tea)).toMatchObject({
      state: 'done',
      uploadedDevices: 10,
      uniqueDevices: 10,
    });
    expect(await acme.files(tea)).toEqual({ 'tea.csv': 'done, 10 rows' });

    const pulledAtEnd = pulled;
    const { user } = process.cpuUsage();
    await sleep(300);
    expect(pulled).toBe(pulledAtEnd);
    expect(process.cpuUsage().user - user).toBeLessThan(150_000);
    expect(worker.logged.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
    expect(worker.logged.some((line) => line.includes('job cancelled'))).toBe(true);
  });

  it('while millions of rows are staged stops at once', async () => {
    // The warehouse has to sort, and write, a hundred times what it would finish in no time.
    const file = largeFile('open');
    const objects: ObjectStore = {
      ...audiences.objects,
      async *open(version, offset) {
        if (!version.key.endsWith('large')) return yield* audiences.objects.open(version, offset);
        for (let n = 0; n < 8; n++) yield Buffer.from(file.replaceAll('-0000-4', `-000${n}-4`));
      },
    };
    await acme.put('large', 'large');
    await acme.put('tea.csv', rows(0, 10, ''));
    const tea = await acme.create('large');
    const next = await acme.create('tea.csv');
    let begun = 0;
    const warehouse = warehouseThat('before', async () => {
      if (begun > 0) return;
      begun = performance.now();
      setTimeout(() => void acme.clear(tea), 100);
    });
    await using _worker = startJobWorker(audiences, { instead: { objects, warehouse } });
    await expect.poll(jobStates, { timeout: 25_000, interval: 20 }).toEqual(['cancelled', 'done']);
    expect(performance.now() - begun).toBeLessThan(100 + promptlyMs);
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    expect(await acme.details(next)).toMatchObject({ state: 'done', uniqueDevices: 10 });
  });

  it('stops within a third of the lease if the notice is not heard', async () => {
    await acme.put('endless', 'endless');
    const tea = await acme.create('endless');
    let pulled = 0;
    const objects = endlessly((chunks) => {
      pulled = chunks;
    });
    await using worker = startJobWorker(audiences, {
      instead: { objects },
      listens: false,
      leaseSeconds: 3,
    });
    await expect.poll(() => pulled, patience).toBeGreaterThan(5);
    await acme.clear(tea);
    const cancelled = () => worker.logged.filter((line) => line.includes('job cancelled'));
    await expect.poll(cancelled, { timeout: promptlyMs, interval: 20 }).toHaveLength(1);
  });

  it('when its load is about to commit commits nothing of it', async () => {
    await acme.put('tea.csv', rows(0, 10, 'open'));
    const tea = await acme.create('tea.csv');
    const claim = await audiences.claim();
    const warehouse = warehouseThat('after', () => acme.clear(tea));
    await expect(audiences.run(claim, { warehouse })).rejects.toThrow(new ClaimLost(claim));
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    expect(await acme.labels(tea)).toEqual({});
    expect(await audiences.records.manifest.totals()).toMatchObject({ runs: 0 });
  });

  it('while several loads wait cancels all of them, and loads again what is sent again', async () => {
    await acme.put('tea/1.csv', rows(0, 10, 'open'));
    await acme.put('tea/2.csv', rows(10, 30, 'buy'));
    const tea = await acme.create('tea/1.csv');
    await audiences.work();
    await acme.append(tea, 'tea/2.csv');
    await acme.append(tea, 'tea/1.csv');
    await acme.clear(tea);
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    expect(await acme.labels(tea)).toEqual({});
    expect(await jobStates()).toEqual(['done', 'cancelled', 'cancelled']);

    await acme.append(tea, 'tea/1.csv');
    await audiences.work();
    expect(await acme.details(tea)).toMatchObject({ uploadedDevices: 10, uniqueDevices: 10 });
    expect(await acme.labels(tea)).toEqual({ open: 10 });
    expect(await acme.files(tea)).toEqual({ 'tea/1.csv': 'done, 10 rows' });
  });

  it('twice at once, while files are appended and a load commits, is never in between', async () => {
    await using _worker = startJobWorker(audiences);
    for (const [n, name] of ['1.csv', '2.csv', '3.csv'].entries()) {
      await acme.put(name, rows(n * 10, n * 10 + 10, 'open'));
    }
    const tea = await acme.create('1.csv');
    for (let round = 0; round < 10; round++) {
      await acme.append(tea, '2.csv');
      await sleep(round * 10);
      await Promise.all([acme.clear(tea), acme.append(tea, '3.csv'), acme.clear(tea)]);
      const { uploadedDevices, uniqueDevices, files } = await acme.details(tea);
      const finished = files.filter(({ state }) => state === 'done').length;
      expect({ uploadedDevices, uniqueDevices }).toEqual({
        uploadedDevices: finished * 10,
        uniqueDevices: finished * 10,
      });
    }
    await acme.append(tea, '1.csv');
    await expect.poll(async () => (await acme.details(tea)).state, patience).toBe('done');
    const { uniqueDevices, uploadedDevices, files } = await acme.details(tea);
    expect(uniqueDevices).toBe(files.length * 10);
    expect(uploadedDevices).toBe(files.length * 10);
    expect(await acme.labels(tea)).toEqual({ open: files.length * 10 });
  });
});
