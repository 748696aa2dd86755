import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../../src/objects/port.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import type { Load, Warehouse } from '../../../../src/warehouse/port.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
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

/** A lease so long that no heartbeat notices the clear: only its notice can stop the job. */
const noHeartbeat = 3_600;

/** The real store, except that files called `endless` never end. */
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

type Stage = Load['stage'];

/** The real warehouse, whose loads stage by way of `stage`. */
function stagingBy(
  stage: (real: Stage, ...args: Parameters<Stage>) => ReturnType<Stage>,
): Warehouse {
  return {
    ...audiences.warehouse,
    beginLoad(attempt) {
      const load = audiences.warehouse.beginLoad(attempt);
      return { ...load, stage: (meaning, signal) => stage(load.stage, meaning, signal) };
    },
  };
}

/** Two million rows with distinct devices. */
function* twoMillionRows(): Generator<Uint8Array> {
  const line = '00000000-0000-4000-8000-000000000000,open\n';
  const chunk = Buffer.alloc(100_000 * line.length, line);
  for (let row = 0; row < 100_000; row++) {
    const head = Math.imul(row, 0x9e3779b1) >>> 0;
    chunk.write(head.toString(16).padStart(8, '0'), row * line.length);
  }
  for (let n = 0; n < 20; n++) {
    const copy = Buffer.from(chunk);
    for (let at = 11; at < copy.length; at += line.length) {
      copy[at] = 0x30 + Math.floor(n / 10);
      copy[at + 1] = 0x30 + (n % 10);
    }
    yield copy;
  }
}

async function jobStates(): Promise<string[]> {
  const jobs = await audiences.db.selectFrom('job').select('state').orderBy('job_id').execute();
  return jobs.map(({ state }) => state);
}

const nothing = { uploadedDevices: 0, uniqueDevices: 0, matchedDevices: 0, files: [] };

describe('an audience that is cleared', () => {
  it('while it reads an endless file stops reading and loads what is appended afterwards', async () => {
    await acme.put('endless', 'endless');
    await acme.put('tea.csv', rows(0, 10, 'open'));
    const tea = await acme.create('endless');
    let pulled = 0;
    const objects = endlessly((chunks) => {
      pulled = chunks;
    });
    await using worker = startJobWorker(audiences, {
      instead: { objects },
      leaseSeconds: noHeartbeat,
    });
    // By now the file has a load of its own, which it gets after 16 MiB.
    await expect.poll(() => pulled, patience).toBeGreaterThan(60);
    await acme.clear(tea);
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    await acme.append(tea, 'tea.csv');
    await expect.poll(jobStates, patience).toEqual(['cancelled', 'done']);
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

  it('while two million rows are staged aborts the staging', async () => {
    const objects: ObjectStore = {
      ...audiences.objects,
      async *open(version, offset) {
        if (version.key.endsWith('large')) yield* twoMillionRows();
        else yield* audiences.objects.open(version, offset);
      },
    };
    await acme.put('large', 'large');
    await acme.put('tea.csv', rows(0, 10, ''));
    const tea = await acme.create('large');
    const next = await acme.create('tea.csv');
    const outcomes: string[] = [];
    const warehouse = stagingBy(async (stage, meaning, signal) => {
      const staging = stage(meaning, signal);
      if (outcomes.length > 0) return staging;
      const outcome = staging.then(
        () => 'finished',
        () => 'aborted',
      );
      await acme.clear(tea);
      outcomes.push(await outcome);
      return staging;
    });
    const instead = { objects, warehouse };
    await using _worker = startJobWorker(audiences, { instead, leaseSeconds: noHeartbeat });
    await expect.poll(jobStates, { timeout: 150_000, interval: 20 }).toEqual(['cancelled', 'done']);
    expect(outcomes).toEqual(['aborted']);
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    expect(await acme.details(next)).toMatchObject({ state: 'done', uniqueDevices: 10 });
  });

  it('stops within a third of the lease if the notice is lost', async () => {
    await acme.put('endless', 'endless');
    const tea = await acme.create('endless');
    let pulled = 0;
    const objects = endlessly((chunks) => {
      pulled = chunks;
    });
    await using worker = startJobWorker(audiences, {
      instead: { objects },
      listens: false,
      leaseSeconds: 6,
    });
    await expect.poll(() => pulled, patience).toBeGreaterThan(5);
    await acme.clear(tea);
    const cancelled = () => worker.logged.filter((line) => line.includes('job cancelled'));
    // A third is 2 seconds; a busy machine may take longer, but not the whole lease.
    await expect.poll(cancelled, { timeout: 5_000, interval: 20 }).toHaveLength(1);
  });

  it('when its load is about to commit commits nothing', async () => {
    await acme.put('tea.csv', rows(0, 10, 'open'));
    const tea = await acme.create('tea.csv');
    const claim = await audiences.claim();
    const warehouse = stagingBy(async (stage, meaning, signal) => {
      const staged = await stage(meaning, signal);
      await acme.clear(tea);
      return staged;
    });
    await expect(audiences.run(claim, { warehouse })).rejects.toThrow(new ClaimLost(claim));
    expect(await acme.details(tea)).toMatchObject({ state: 'done', ...nothing });
    expect(await acme.labels(tea)).toEqual({});
    expect(await audiences.records.manifest.totals()).toMatchObject({ runs: 0 });
  });

  it('while several loads wait cancels all of them and can load the same files again', async () => {
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

  it('twice at once, while files are appended and a load commits, keeps its counts consistent', async () => {
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
