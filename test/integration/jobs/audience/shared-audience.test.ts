import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../../src/objects/port.ts';
import { ClaimLost } from '../../../../src/records/queue/jobs.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { deviceNumber, deviceRows as rows } from '../../../support/devices.ts';
import { startJobWorker } from '../../../support/job-worker.ts';
import { patience } from '../../../support/lanes.ts';
import { partsHelper, runShared, sharing, sharingOwner } from '../../../support/shared-jobs.ts';

let audiences: Audiences;
let acme: LoadingPartner;

beforeAll(async () => {
  audiences = await freshAudiences();
});
afterAll(() => audiences[Symbol.asyncDispose]());
beforeEach(async () => {
  acme = await audiences.partner();
});

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Rows with one device for each label, in the order of the labels. */
function labelled(from: number, to: number): string {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  return numbers.map((n) => `${deviceNumber(n)},label ${n}\n`).join('');
}

/** Everything that a load leaves behind, without names and times that differ between partners. */
async function outcomeOf(partner: LoadingPartner, audienceId: number) {
  const { state, uploadedDevices, uniqueDevices, matchedDevices, files } =
    await partner.details(audienceId);
  const problems = await audiences.db
    .selectFrom('audience_file')
    .select('problems')
    .where('audience_id', '=', audienceId)
    .orderBy('s3_path')
    .execute();
  const rejects = (await Array.fromAsync(audiences.records.rejects.all())).flat();
  const { jobId } = await audiences.db
    .selectFrom('audience_load')
    .select((found) => found.fn.max('job_id').as('jobId'))
    .executeTakeFirstOrThrow();
  const progress = await audiences.records.jobProgress.of(partner.partnerId, jobId);
  const outcome = {
    counts: { state, uploadedDevices, uniqueDevices, matchedDevices },
    files: files.map(({ s3Path, state: ended, rowsUploaded }) => [s3Path, ended, rowsUploaded]),
    problems: problems.map(({ problems: found }) => found),
    labels: Object.entries(await partner.labels(audienceId)),
    rejects: rejects
      .filter((reject) => reject.jobId === jobId)
      .map(({ position, line, original }) => [position, line, original.toString()]),
    progress: [progress?.bytesRead, progress?.bytesTotal, progress?.rowsRead],
  };
  return JSON.parse(JSON.stringify(outcome).replaceAll(partner.prefix, ''));
}

/** Appends the same files to an audience with one worker and with two. Returns both outcomes. */
async function bothWays(files: Files) {
  const outcomes: object[] = [];
  let sharedParts = 0;
  for (const isShared of [false, true]) {
    const partner = await audiences.partner();
    await partner.put('day/0.csv', rows(0, 10, 'before'));
    const audienceId = await partner.create('day/0.csv');
    await audiences.run(await audiences.claim());
    for (const [name, content] of Object.entries(files)) await partner.put(`day/${name}`, content);
    await partner.append(audienceId, 'day/');
    if (isShared) sharedParts = await runShared(audiences);
    else await audiences.run(await audiences.claim());
    outcomes.push(await outcomeOf(partner, audienceId));
  }
  return { alone: outcomes[0]!, shared: outcomes[1]!, sharedParts };
}

async function leftovers(): Promise<unknown[]> {
  const stored = await Array.fromAsync(audiences.objects.uploaded('parts/'));
  return [...stored.flat(), ...(await audiences.db.selectFrom('job_part').selectAll().execute())];
}

/** Puts files of ten devices each, and queues their load into a new audience. */
async function createOf(files: readonly number[]): Promise<number> {
  for (const n of files) await acme.put(`day/${n}.csv`, rows(n * 10, n * 10 + 10, `file ${n}`));
  return await acme.create('day/');
}

describe('a load of an audience that two workers read', () => {
  it('has the result of one worker: counts, labels, files, problems, rejects and progress', async () => {
    const faulty = `nobody,open\n\n${deviceNumber(8)},open\n`;
    const { alone, shared, sharedParts } = await bothWays({
      '1.csv': `${rows(0, 60, 'open')}${faulty}`,
      '2.csv': rows(30, 90, 'click').replaceAll('\n', '\r\n'),
      '3.csv': 'one,two,three\n',
      '4.csv.gz': gzipSync(`${rows(80, 140, 'buy')}${rows(90, 95, 'open')}${faulty}`),
      // Cut into parts, with labels that are new in the middle.
      '5.csv': `id,event\n${rows(100, 180, '')}${faulty}${rows(120, 240, 'sell')}${faulty}`,
      '6.csv': `${rows(100, 180, 'grün')}nobody,tea`,
      '7.csv': rows(0, 5, 'before'),
    });
    expect(sharedParts).toBe(5);
    expect(alone).toMatchObject({
      counts: { state: 'failed', uniqueDevices: 240 },
      labels: [
        ['before', 10],
        ['open', 65],
        ['click', 60],
        ['buy', 60],
        ['sell', 120],
        ['grün', 80],
      ],
    });
    expect(shared).toEqual(alone);
    expect(await leftovers()).toEqual([]);
  });

  it('has the same result if a line in the middle of a cut file fails the file and its labels are undone', async () => {
    const { alone, shared, sharedParts } = await bothWays({
      '1.csv': `${labelled(0, 100)}one,two,three\n${labelled(100, 200)}`,
      '2.csv': labelled(50, 70),
      '3.csv': rows(0, 30, 'open'),
    });
    expect(sharedParts).toBeGreaterThan(2);
    const files = [
      ['day/0.csv', 'done', 10],
      ['day/1.csv', 'failed', 0],
      ['day/2.csv', 'done', 20],
      ['day/3.csv', 'done', 30],
    ];
    expect(alone).toMatchObject({ counts: { uniqueDevices: 50 }, files });
    // How much of a file is read after the line that fails it depends on timing.
    expect({ ...shared, progress: null }).toEqual({ ...alone, progress: null });
  });

  it('loads the new version of a file that is replaced meanwhile', async () => {
    const audienceId = await createOf([1, 2, 3, 4]);
    await acme.put('day/2.csv', rows(0, 300, 'old'));
    let isReplaced = false;
    const objects: ObjectStore = {
      ...audiences.objects,
      async *open(version, offset) {
        const owns = version.key.endsWith('2.csv') && offset === 0;
        yield* audiences.objects.open(version, offset);
        if (isReplaced || !owns) return;
        isReplaced = true;
        await acme.put('day/2.csv', rows(500, 510, 'new'));
      },
    };
    await runShared(audiences, { objects });
    expect(await acme.files(audienceId)).toMatchObject({ 'day/4.csv': 'done, 10 rows' });
    expect([await acme.labels(audienceId), await leftovers()]).toEqual([
      { 'file 1': 10, new: 10, 'file 3': 10, 'file 4': 10 },
      [],
    ]);
  });

  it('takes back the parts of a worker that was lost', async () => {
    const audienceId = await createOf([1, 2, 3, 4]);
    const owner = sharingOwner(audiences);
    const running = audiences.run(await audiences.claim(), owner.parts);
    await owner.waits;
    const lost = await audiences.records.jobParts.takeLast(crypto.randomUUID(), 8, {
      leaseSeconds: 1,
      ownJobs: [],
    });
    expect(lost?.parts.map(({ position }) => position)).toEqual([2, 3]);
    owner.begin();
    await running;
    expect(await acme.details(audienceId)).toMatchObject({ state: 'done', uniqueDevices: 40 });
  });

  it('is loaded once if its worker loses the claim', async () => {
    const audienceId = await createOf([1, 2, 3, 4]);
    const claim = await audiences.claim();
    const owner = sharingOwner(audiences);
    const running = audiences.run(claim, owner.parts);
    running.catch(() => {});
    await owner.waits;
    await audiences.records.inTransaction(async (tx) => {
      await tx.jobs.expireLease(claim);
      await tx.jobs.reclaimExpired(5);
    });
    expect(await runShared(audiences)).toBe(2);
    owner.begin();
    await expect(running).rejects.toThrow(ClaimLost);
    expect(await acme.details(audienceId)).toMatchObject({ uploadedDevices: 40, state: 'done' });
    expect(Object.values(await acme.labels(audienceId))).toEqual([10, 10, 10, 10]);
    expect(await leftovers()).toEqual([]);
  });

  it('stops on both workers when the audience is cleared, and leaves nothing behind', async () => {
    const audienceId = await createOf([1, 2]);
    const owner = sharingOwner(audiences);
    const running = audiences.run(await audiences.claim(), owner.parts);
    running.catch(() => {});
    await owner.waits;
    const { promise: isRead, resolve: reportRead } = Promise.withResolvers<void>();
    const endless: ObjectStore = {
      ...audiences.objects,
      async *open(version, offset) {
        reportRead();
        yield* audiences.objects.open(version, offset);
        await new Promise(() => {});
      },
    };
    const helper = partsHelper(audiences, 1);
    const helping = helper.help({ objects: endless });
    await isRead;
    await acme.clear(audienceId);
    await helping;
    expect(helper.logged.join()).toContain('parts no longer needed');
    owner.begin();
    await expect(running).rejects.toThrow(ClaimLost);
    expect(await acme.details(audienceId)).toMatchObject({ uniqueDevices: 0, files: [] });
    expect([await acme.labels(audienceId), await leftovers()]).toEqual([{}, []]);
  });
});

it('a part whose rows cannot be stored is read by the worker that has the job', async () => {
  const audienceId = await createOf([1, 2, 3, 4]);
  const owner = sharingOwner(audiences);
  const running = audiences.run(await audiences.claim(), owner.parts);
  await owner.waits;
  const full: ObjectStore = {
    ...audiences.objects,
    async put() {
      throw new Error('no space left');
    },
  };
  const helper = partsHelper(audiences);
  expect(await helper.help({ objects: full })).toBe(true);
  expect(helper.logged.join()).toContain('reading parts failed');
  // No worker tries again, because the owner may succeed.
  expect(await helper.help()).toBe(false);
  owner.begin();
  await running;
  expect(await acme.details(audienceId)).toMatchObject({ state: 'done', uniqueDevices: 40 });
});

it('two workers share a load by themselves', async () => {
  const slowly: ObjectStore = {
    ...audiences.objects,
    async *open(version, offset) {
      if (version.key.includes('/day/')) await new Promise((resolve) => setTimeout(resolve, 300));
      yield* audiences.objects.open(version, offset);
    },
  };
  const options = { instead: { objects: slowly, sharing }, helps: true };
  await using one = startJobWorker(audiences, options);
  await using two = startJobWorker(audiences, options);
  await expect.poll(() => audiences.records.jobParts.haveOtherWorkers(), patience).toBe(true);
  const audienceId = await createOf([1, 2, 3, 4, 5, 6]);
  await expect.poll(async () => (await acme.details(audienceId)).uniqueDevices, patience).toBe(60);
  const logged = [...one.logged, ...two.logged].map((line) => JSON.parse(line));
  expect(logged).toContainEqual(
    expect.objectContaining({ msg: 'parts read for another worker', kind: 'audience', parts: 3 }),
  );
});
