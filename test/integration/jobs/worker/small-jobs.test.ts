import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { queueDeletion } from '../../../../src/actions/queue-deletion.ts';
import type { ObjectStore } from '../../../../src/objects/port.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { deviceRows } from '../../../support/devices.ts';
import { startJobWorker } from '../../../support/job-worker.ts';
import { patience } from '../../../support/lanes.ts';

let audiences: Audiences;

beforeEach(async () => {
  audiences = await freshAudiences();
});
afterEach(() => audiences[Symbol.asyncDispose]());

async function partnerWith(path: string, content: string | Uint8Array) {
  const partner = await audiences.partner();
  const tea = await partner.attribute('tea');
  await partner.put(path, content);
  return { partner, tea };
}

/** Reads of these files begin, but return nothing before `release`. */
function heldFiles(path: string) {
  const released = Promise.withResolvers<void>();
  let begun = 0;
  const objects: ObjectStore = {
    ...audiences.objects,
    async *open(version, offset) {
      if (version.key.endsWith(path)) {
        begun++;
        await released.promise;
      }
      yield* audiences.objects.open(version, offset);
    },
  };
  return { objects, begun: () => begun, release: released.resolve };
}

async function states(queued: readonly { partner: LoadingPartner; id: number }[]) {
  const logs = await Promise.all(queued.map(({ partner, id }) => partner.log(id)));
  return logs.map((log) => log?.state);
}

it('small jobs of every kind end while eight large ones run or wait', async () => {
  const content = deviceRows(0, 15_000, 'tea');
  const large = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { partner } = await partnerWith('large.csv', content);
      return { partner, id: await partner.queue('large.csv', 1) };
    }),
  );
  const held = heldFiles('large.csv');
  await using _worker = startJobWorker(audiences, {
    instead: { objects: held.objects },
    concurrency: 4,
    smallConcurrency: 2,
  });
  await expect.poll(held.begun, patience).toBe(4);

  const { partner: acme, tea } = await partnerWith('small.csv', deviceRows(0, 10, 'tea'));
  const first = await acme.queue('small.csv', 1);
  const audience = await acme.create('small.csv');
  const last = await queueDeletion(audiences.records, acme.partnerId, {
    keyType: 0,
    keys: [String(tea)],
    withDefinitions: false,
  });
  const small = [first, last].map((id) => ({ partner: acme, id }));
  await expect.poll(() => states(small), patience).toEqual(['done', 'done']);
  expect(await acme.details(audience)).toMatchObject({ state: 'done', uniqueDevices: 10 });
  // The file is small, but its rows are not.
  const zipped = await partnerWith('large.csv.gz', gzipSync(content));
  const waiting = { ...zipped, id: await zipped.partner.queue('large.csv.gz', 1) };
  await expect.poll(() => isKnownAsLarge(waiting.id), patience).toBe(true);

  expect(await states(large)).not.toContain('done');
  expect(held.begun()).toBe(4);
  held.release();
  const all = [...large, waiting];
  await expect.poll(() => states(all), patience).toEqual(all.map(() => 'done'));
  const losses = await audiences.db.selectFrom('job').select('losses').execute();
  expect(losses.every((job) => job.losses === 0)).toBe(true);
});

async function isKnownAsLarge(jobId: number): Promise<boolean> {
  const { is_large } = await audiences.db
    .selectFrom('job')
    .select('is_large')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return is_large;
}
