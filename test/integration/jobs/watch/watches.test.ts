import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clearAudience } from '../../../../src/actions/clear-audience.ts';
import { createAudience } from '../../../../src/actions/create-audience.ts';
import { disableAccess } from '../../../../src/actions/disable-access.ts';
import { removeParty } from '../../../../src/actions/remove-party.ts';
import { StatementCancelled, TributaryError } from '../../../../src/domain/errors.ts';
import { pollWatches } from '../../../../src/jobs/watch/poll-watches.ts';
import { queueWatches } from '../../../../src/jobs/watch/queue-watches.ts';
import { deleteRemoved } from '../../../../src/jobs/worker/delete-removed.ts';
import type { DiskStore } from '../../../../src/objects/disk/disk-store.ts';
import type { OpenPartnerBucket, UploadedVersion } from '../../../../src/objects/port.ts';
import { StorageFault } from '../../../../src/objects/port.ts';
import type { Records } from '../../../../src/records/records.ts';
import type { NewWatch, Watch } from '../../../../src/records/watches/watches.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';

const log = pino({ level: 'silent' });
const { signal } = new AbortController();

let imports: Imports;
beforeAll(async () => {
  imports = await freshImports();
});
afterAll(() => imports[Symbol.asyncDispose]());

let acme: ImportingPartner;
let tea: number;
beforeEach(async () => {
  // Jobs of other tests must not run in this one.
  await sql`update job set state = 'done' where state in ('pending', 'running')`.execute(
    imports.db,
  );
  await sql`update watch set removed_at = now()`.execute(imports.db);
  acme = await imports.partner();
  tea = await acme.attribute();
});

const plain = {
  audienceId: null,
  bucket: null,
  keyType: 0,
  mode: 'merge',
  compressed: null,
  settleSeconds: 0,
  marker: null,
  pollSeconds: 300,
  skipsExisting: false,
} as const;

function watch(more: Partial<NewWatch> = {}): Promise<number> {
  const keyPrefix = `${acme.prefix}day/`;
  return imports.records.watches.create({
    ...plain,
    partnerId: acme.partnerId,
    keyPrefix,
    ...more,
  });
}

const noBucket: OpenPartnerBucket = () => {
  throw new Error('the test has no bucket of a partner');
};

/** Lists the files of watches that are due. */
async function poll(openPartnerBucket = noBucket) {
  const { records, objects } = imports;
  return pollWatches({ records, objects, openPartnerBucket, log }).run(signal);
}

function makeDue(watchId: number) {
  return sql`update watch set next_poll_at = now() where watch_id = ${watchId}`.execute(imports.db);
}

async function queue() {
  return queueWatches(imports.records, log).run(signal);
}

/** Runs jobs until none is left, and returns how many. */
async function runJobs(): Promise<number> {
  for (let jobs = 0; ; jobs++) {
    const claim = await imports.records.jobs.claim(60);
    if (!claim) return jobs;
    await imports.run(claim);
  }
}

/** Lists, queues and loads everything that is ready, and returns how many jobs ran. */
async function loadAll(): Promise<number> {
  await poll();
  await queue();
  const jobs = await runJobs();
  await queue();
  return jobs;
}

async function states(watchId: number): Promise<string[]> {
  const page = { after: null, limit: 1_000 };
  const files = await imports.records.watchFiles.list(watchId, page, undefined);
  return files.reverse().map(({ key, state }) => `${key.slice(acme.prefix.length)} ${state}`);
}

async function find(watchId: number, audienceId: number | null = null): Promise<Watch> {
  const scope = { partnerId: acme.partnerId, audienceId };
  return (await imports.records.watches.find(scope, watchId))!;
}

async function queuedPaths(): Promise<string[]> {
  const { rows: jobs } = await sql<{ path: string }>`
    select file_path as path from job join import_log using (job_id)
    where partner_id = ${acme.partnerId} and state = 'pending' order by job_id
  `.execute(imports.db);
  return jobs.map(({ path }) => path);
}

function isAboutWatch({ type }: { type: string }): boolean {
  return type === 'watch.paused';
}

describe('a watch of the embedded store', () => {
  it('imports old and new files, each once, without a listing for new ones', async () => {
    await acme.put('day/1.csv', rows(0, 10, tea));
    await acme.put('night/1.csv', rows(100, 200, tea));
    const id = await watch();
    expect(await loadAll()).toBe(1);
    await acme.put('day/2.csv', rows(10, 15, tea));
    await queue();
    expect(await queuedPaths()).toEqual(['day/2.csv']);
    expect(await runJobs()).toBe(1);
    await makeDue(id);
    expect(await loadAll()).toBe(0);
    expect(await states(id)).toEqual(['day/1.csv loaded', 'day/2.csv loaded']);
    expect(await find(id)).toMatchObject({ filesLoaded: 2, filesFailed: 0, filesWaiting: 0 });
    expect(await acme.counts()).toEqual([15]);
  });

  it('enters a file in the transaction that makes it visible, also from a multipart upload', async () => {
    const id = await watch();
    await poll();
    const key = `${acme.prefix}day/parts.csv`;
    const headers = { contentType: 'text/csv', metadata: {} };
    const disk = imports.objects as DiskStore;
    const uploadId = await disk.beginUpload(key, headers);
    const part = await disk.putPart(
      uploadId,
      1,
      (async function* () {
        yield Buffer.from(rows(0, 3, tea));
      })(),
    );
    expect(await states(id)).toEqual([]);
    if (part === 'no_such_upload') throw new Error(part);
    await disk.completeUpload(uploadId, [{ partNumber: 1, etag: part.etag }]);
    expect(await states(id)).toEqual(['day/parts.csv waiting']);
  });

  it('loads a file that was replaced before its job ran only at its new version', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 10, tea));
    await queue();
    await acme.put('day/1.csv', rows(0, 20, tea));
    // The first version is still queued, so the second one waits.
    expect(await queue()).toMatchObject({ queued: 0 });
    expect(await runJobs()).toBe(1);
    expect(await acme.counts()).toEqual([0]);
    expect(await loadAll()).toBe(1);
    expect(await states(id)).toEqual(['day/1.csv replaced', 'day/1.csv loaded']);
    expect(await acme.counts()).toEqual([20]);
  });

  it('never loads a version twice, also if it comes back before the job of another one runs', async () => {
    const id = await watch({ mode: 'replace' });
    const [first, second] = [rows(0, 10, tea), rows(0, 20, tea)];
    await acme.put('day/1.csv', first);
    expect(await loadAll()).toBe(1);
    await acme.put('day/1.csv', second);
    await queue();
    await acme.put('day/1.csv', first);
    expect(await runJobs()).toBe(1);
    expect(await loadAll()).toBe(0);
    expect(await states(id)).toEqual(['day/1.csv loaded', 'day/1.csv replaced']);
    expect(await find(id)).toMatchObject({ filesLoaded: 1, filesFailed: 0 });
    // The second version was not loaded yet, so it is when it comes back.
    await acme.put('day/1.csv', second);
    expect(await loadAll()).toBe(1);
    expect(await states(id)).toEqual(['day/1.csv loaded', 'day/1.csv loaded']);
    expect(await acme.counts()).toEqual([20]);
  });

  it('does not write rows of versions that it knows', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 5, tea));
    await makeDue(id);
    await poll();
    // A row that was locked or written by a later transaction has an xmax.
    const { rows: entries } = await sql<{ xmax: string }>`
      select xmax::text as xmax from watch_file where watch_id = ${id}
    `.execute(imports.db);
    expect(entries).toEqual([{ xmax: '0' }]);
  });

  it('loads the same name again if its content changed, and not if it is the same', async () => {
    const id = await watch();
    for (const end of [10, 20, 20, 30]) {
      await acme.put('day/1.csv', rows(0, end, tea));
      await loadAll();
    }
    expect(await states(id)).toEqual(Array(3).fill('day/1.csv loaded'));
    expect(await acme.counts()).toEqual([30]);
  });

  it('of two versions that wait, loads only the later one', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 10, tea));
    await acme.put('day/1.csv', rows(0, 20, tea));
    expect(await loadAll()).toBe(1);
    expect(await states(id)).toEqual(['day/1.csv replaced', 'day/1.csv loaded']);
  });

  it('never takes the key of a deleted file for a prefix', async () => {
    const id = await watch();
    await acme.put('day/1', rows(0, 10, tea));
    await queue();
    await imports.objects.removeAll(`${acme.prefix}day/1`, signal);
    await acme.put('day/1.csv', rows(0, 20, tea));
    await loadAll();
    await loadAll();
    expect(await states(id)).toEqual(['day/1 replaced', 'day/1.csv loaded']);
  });

  it('loads files that came while it was paused, in the order in which they changed', async () => {
    const id = await watch();
    await imports.records.watches.pause(id, null);
    for (const name of ['c', 'a', 'b']) await acme.put(`day/${name}.csv`, rows(0, 5, tea));
    expect(await loadAll()).toBe(0);
    await imports.records.watches.resume(id);
    await poll();
    await queue();
    expect(await queuedPaths()).toEqual(['day/c.csv', 'day/a.csv', 'day/b.csv']);
  });

  it('waits until a file has settled', async () => {
    const id = await watch({ settleSeconds: 60 });
    await acme.put('day/1.csv', rows(0, 5, tea));
    expect(await loadAll()).toBe(0);
    await sql`update watch_file set modified_at = now() - interval '61 seconds'`.execute(
      imports.db,
    );
    expect(await loadAll()).toBe(1);
    expect(await states(id)).toEqual(['day/1.csv loaded']);
  });

  it('waits for a marker that is not older than the file, and never loads hidden files', async () => {
    const id = await watch({ marker: '_SUCCESS' });
    await acme.put('day/a/1.csv', rows(0, 5, tea));
    await acme.put('day/b/1.csv', rows(5, 9, tea));
    await acme.put('day/.hidden.csv', rows(9, 12, tea));
    expect(await loadAll()).toBe(0);
    await acme.put('day/a/_SUCCESS', '');
    expect(await loadAll()).toBe(1);
    await acme.put('day/a/2.csv', rows(0, 7, tea));
    expect(await loadAll()).toBe(0);
    // The marker has the same ETag each time.
    await acme.put('day/a/_SUCCESS', '');
    expect(await loadAll()).toBe(1);
    expect(await states(id)).toEqual([
      'day/a/1.csv loaded',
      'day/b/1.csv waiting',
      'day/a/2.csv loaded',
    ]);
  });

  it('skips files that were there before it, if asked to', async () => {
    await acme.put('day/old.csv', rows(0, 5, tea));
    const id = await watch({ skipsExisting: true });
    expect(await loadAll()).toBe(0);
    await acme.put('day/new.csv', rows(0, 5, tea));
    expect(await loadAll()).toBe(1);
    await makeDue(id);
    expect(await loadAll()).toBe(0);
    expect(await states(id)).toEqual(['day/old.csv skipped', 'day/new.csv loaded']);
  });

  it('goes on however many files are deleted before they are read', async () => {
    const id = await watch();
    for (let i = 0; i < 6; i++) await acme.put(`day/${i}.csv`, rows(0, 5, tea));
    await queue();
    await imports.objects.removeAll(`${acme.prefix}day/`, signal);
    await loadAll();
    expect(await states(id)).toEqual([0, 1, 2, 3, 4, 5].map((i) => `day/${i}.csv replaced`));
    expect(await find(id)).toMatchObject({ state: 'active', filesFailed: 0, failedInRow: 0 });
  });

  it('goes on if the database cancels a statement of another watch', async () => {
    await watch({ keyPrefix: `${acme.prefix}large/` });
    await watch();
    await acme.put('large/1.csv', rows(0, 5, tea));
    await acme.put('day/1.csv', rows(0, 5, tea));
    let cancelled = 0;
    const records: Records = {
      ...imports.records,
      async inTransaction(work) {
        if (cancelled++ === 0) throw new StatementCancelled(new Error('statement timeout'));
        return imports.records.inTransaction(work);
      },
    };
    expect(await queueWatches(records, log).run(signal)).toMatchObject({ queued: 1 });
    expect(await queuedPaths()).toEqual(['day/1.csv']);
  });

  it('goes on after a bad file, and pauses after five in a row', async () => {
    const hook = { url: 'https://acme.example/hook', description: '', events: null };
    await imports.records.webhooks.create(acme.partnerId, hook);
    const id = await watch();
    await acme.put('day/1.csv', 'bad');
    await acme.put('day/2.csv', rows(0, 5, tea));
    await loadAll();
    expect(await states(id)).toEqual(['day/1.csv failed', 'day/2.csv loaded']);
    for (let i = 3; i <= 7; i++) await acme.put(`day/${i}.csv`, `bad ${i}`);
    await loadAll();
    expect(await find(id)).toMatchObject({
      state: 'paused',
      pausedReason:
        'The last 5 files failed. Correct them, then resume the watch. Files that were changed are loaded again.',
      filesFailed: 6,
    });
    const { rows: events } = await sql<{ body: string }>`
      select body from webhook_event where partner_id = ${acme.partnerId} order by event_id desc
    `.execute(imports.db);
    const paused = events.map(({ body }) => JSON.parse(body)).filter(isAboutWatch);
    expect(paused).toMatchObject([
      { data: { watch_id: id, state: 'paused', file_path: 'day/', files_failed: 6 } },
    ]);
    await acme.put('day/3.csv', rows(0, 6, tea));
    expect(await loadAll()).toBe(0);
    await imports.records.watches.resume(id);
    expect(await loadAll()).toBe(1);
    expect(await imports.records.watchFiles.retryFailed(id)).toBe(6);
    await queue();
    expect(await queuedPaths()).toHaveLength(5);
  });

  it('queues each file once, however many workers try', async () => {
    const id = await watch();
    for (let i = 0; i < 5; i++) await acme.put(`day/${i}.csv`, rows(0, 5, tea));
    await Promise.all(Array.from({ length: 6 }, async () => [await poll(), await queue()]));
    await queue();
    expect(await queuedPaths()).toEqual([0, 1, 2, 3, 4].map((i) => `day/${i}.csv`));
    expect(await find(id)).toMatchObject({ filesQueued: 5, filesWaiting: 0 });
  });

  it('queues nothing while a worker lists its files, unless that worker has died', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 5, tea));
    expect(await imports.records.watches.claimPoll(60)).toMatchObject({ watchId: id });
    expect(await imports.records.watches.claimPoll(60)).toBeUndefined();
    expect(await queue()).toMatchObject({ queued: 0 });
    await sql`update watch set polling_until = now() - interval '1 second'`.execute(imports.db);
    expect(await queue()).toMatchObject({ queued: 1 });
  });

  it('is listed by another worker at once if the first one stops', async () => {
    const id = await watch();
    const stopping = new AbortController();
    const uploaded = async function* () {
      stopping.abort();
      yield [];
    };
    const deps = { ...imports, objects: { uploaded }, openPartnerBucket: noBucket, log };
    await expect(pollWatches(deps).run(stopping.signal)).rejects.toThrow('abort');
    expect(await imports.records.watches.claimPoll()).toMatchObject({ watchId: id });
  });

  it('is listed alone of its partner, and not again at once', async () => {
    const { watches } = imports.records;
    const ids = [await watch(), await watch()];
    const claims = await Promise.all(ids.map(() => watches.claimPoll()));
    const [first, ...more] = claims.filter((claim) => claim !== undefined);
    expect(more).toEqual([]);
    await watches.endPoll(first!);
    const second = await watches.claimPoll();
    expect([first?.watchId, second?.watchId].sort()).toEqual(ids.sort());
    await watches.endPoll(second!);
    for (const id of ids) await watches.pollNow(id);
    expect(await watches.claimPoll()).toBeUndefined();
    await sql`
      update watch set polled_at = polled_at - interval '30 seconds' where watch_id = ${ids[1]}
    `.execute(imports.db);
    for (const id of ids) await watches.pollNow(id);
    expect(await watches.claimPoll()).toMatchObject({ watchId: ids[1] });
  });

  it('is listed although the clock was set back', async () => {
    const { watches } = imports.records;
    const id = await watch();
    await sql`
      update watch set next_poll_at = now() + interval '2 days', polling_until = now() + interval '1 day'
      where watch_id = ${id}
    `.execute(imports.db);
    await watches.prune(30);
    const { rows: held } = await sql<{ minutes: number }>`
      select ceil(extract(epoch from polling_until - now()) / 60)::integer as minutes from watch
      where watch_id = ${id}
    `.execute(imports.db);
    expect(held).toEqual([{ minutes: 2 }]);
    await sql`update watch set polling_until = now() where watch_id = ${id}`.execute(imports.db);
    expect(await watches.claimPoll()).toMatchObject({ watchId: id });
  });

  it('stops while access is disabled, and loads cancelled files afterwards', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 5, tea));
    await queue();
    const party = { kind: 'partner', id: acme.partnerId } as const;
    await disableAccess(imports.records, party);
    expect(await loadAll()).toBe(0);
    await imports.records.access.enable(party);
    await queue();
    expect(await loadAll()).toBe(1);
    expect(await states(id)).toEqual(['day/1.csv loaded']);
  });

  it('is deleted with its partner', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 5, tea));
    await removeParty(imports.records, { kind: 'partner', id: acme.partnerId });
    await deleteRemoved(imports).run(signal);
    const { rows: left } = await sql`
      select watch_id from watch where watch_id = ${id}
      union all select watch_id from watch_file where watch_id = ${id}
    `.execute(imports.db);
    expect(left).toEqual([]);
  });

  it('forgets versions that were not listed for 30 days, and no others', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 5, tea));
    await acme.put('day/2.csv', rows(0, 5, tea));
    await loadAll();
    await acme.put('day/1.csv', rows(0, 6, tea));
    await loadAll();
    await sql`update watch_file set seen_at = now() - interval '31 days'`.execute(imports.db);
    await makeDue(id);
    await poll();
    await imports.records.watches.prune(30);
    expect(await states(id)).toEqual(['day/2.csv loaded', 'day/1.csv loaded']);
    expect(await loadAll()).toBe(0);
  });

  it('is gone at once when it is removed, and its ledger later', async () => {
    const id = await watch();
    await acme.put('day/1.csv', rows(0, 5, tea));
    await imports.records.watches.remove(id);
    expect(await loadAll()).toBe(0);
    expect(await find(id)).toBeUndefined();
    await imports.records.watches.prune(30);
    expect(await states(id)).toEqual([]);
  });
});

describe("a watch of a partner's own bucket", () => {
  const credentials = { roleArn: 'arn:aws:iam::210987654321:role/x', region: 'us-east-1' };

  async function ownWatch(more: Partial<NewWatch> = {}): Promise<number> {
    const id = await watch({ bucket: 'their-bucket', keyPrefix: 'day/', ...more });
    await imports.records.watches.setCredentials(id, credentials);
    return id;
  }

  /** A bucket that lists these versions in these pages. */
  function listing(...pages: UploadedVersion[][]): OpenPartnerBucket {
    return async (bucket, access) => {
      expect(bucket).toBe('their-bucket');
      expect(access).toMatchObject({ ...credentials, externalId: expect.any(String) });
      const found = async function* () {
        yield* pages;
      };
      return { ...imports.objects, uploaded: found, async [Symbol.asyncDispose]() {} };
    };
  }

  function version(key: string, second: number): UploadedVersion {
    return { key, etag: key, size: 1, modifiedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)) };
  }

  it('queues thousands of old files in order, a hundred at a time, however they are listed', async () => {
    const id = await ownWatch();
    const count = 2_500;
    // The latest first, in pages that are not in order either.
    const all = Array.from({ length: count }, (_, i) => version(`day/${i % 7}/${i}`, count - i));
    const pages = [all.slice(1_000, 2_000), all.slice(2_000), all.slice(0, 1_000)];
    await poll(listing(...pages));
    expect(await find(id)).toMatchObject({ filesWaiting: count });
    expect(await queue()).toMatchObject({ queued: 100 });
    expect(await queue()).toMatchObject({ queued: 0 });
    const oldest = all.toReversed().map(({ key }) => `s3://their-bucket/${key}`);
    expect(await queuedPaths()).toEqual(oldest.slice(0, 100));
    await sql`update job set state = 'done' where state = 'pending'`.execute(imports.db);
    expect(await queue()).toMatchObject({ queued: 100, loaded: 100 });
    expect(await queuedPaths()).toEqual(oldest.slice(100, 200));
    // A file that was listed late, with an older time and a lower key, is not missed.
    await makeDue(id);
    await poll(listing([version('day/+late', 0)], ...pages));
    await sql`update job set state = 'done' where state = 'pending'`.execute(imports.db);
    await queue();
    expect((await queuedPaths())[0]).toBe('s3://their-bucket/day/+late');
    expect(await find(id)).toMatchObject({ filesWaiting: count + 1 - 300 });
  });

  it('loads the version that is there, also if its time is before that of an earlier one', async () => {
    const id = await ownWatch();
    const put = { ...version('day/1', 20), etag: 'put' };
    // An upload in parts has the time of its beginning.
    const inParts = { ...version('day/1', 10), etag: 'parts' };
    await poll(listing([put]));
    await makeDue(id);
    await poll(listing([inParts]));
    expect(await queue()).toMatchObject({ queued: 1 });
    const current = async () => {
      const files = await imports.records.watchFiles.list(
        id,
        { after: null, limit: 10 },
        undefined,
      );
      return files.map(({ etag, state }) => [etag, state]);
    };
    expect(await current()).toEqual([
      ['parts', 'queued'],
      ['put', 'replaced'],
    ]);
    await sql`update job set state = 'done' where state = 'pending'`.execute(imports.db);
    await queue();
    // The later version was deleted, which uncovers the earlier one with its own time.
    await makeDue(id);
    await poll(listing([put]));
    expect(await queue()).toMatchObject({ queued: 1 });
    expect(await current()).toEqual([
      ['put', 'queued'],
      ['parts', 'loaded'],
    ]);
  });

  it('does not load files whose names no import can have', async () => {
    const id = await ownWatch();
    await poll(
      listing([version('day/a\nb', 1), version('day/../x', 2), version('day/folder/', 3)]),
    );
    await queue();
    expect(await queuedPaths()).toEqual(['s3://their-bucket/day/folder/']);
    const page = { after: null, limit: 10 };
    const failed = await imports.records.watchFiles.list(id, page, 'failed');
    expect(failed.map(({ key, jobId }) => [key, jobId])).toEqual([
      ['day/../x', null],
      ['day/a\nb', null],
    ]);
  });

  it('skips only files from before its creation, also if the first listing fails', async () => {
    const id = await ownWatch({ skipsExisting: true });
    const { createdAt } = await find(id);
    const at = (key: string, ms: number) => ({
      ...version(key, 0),
      modifiedAt: new Date(Math.floor(createdAt.getTime() / 1_000) * 1_000 + ms),
    });
    const failing: OpenPartnerBucket = async () => {
      throw new StorageFault('access_denied', 'The bucket refused the credentials.');
    };
    await poll(failing);
    await makeDue(id);
    // A bucket lists whole seconds, so the file may have come after the watch.
    const found = [at('day/old', -1_000), at('day/same-second', 0), at('day/new', 1_000)];
    await poll(listing(found));
    const page = { after: null, limit: 10 };
    const files = await imports.records.watchFiles.list(id, page, undefined);
    expect(files.map(({ key, state }) => [key, state])).toEqual([
      ['day/new', 'waiting'],
      ['day/same-second', 'waiting'],
      ['day/old', 'skipped'],
    ]);
    // An upload in parts that began before the watch was not in the first complete listing.
    await makeDue(id);
    await poll(listing([...found, at('day/in-parts', -60_000)]));
    expect(await find(id)).toMatchObject({ filesWaiting: 3 });
  });

  it('goes on after an outage, however long', async () => {
    const id = await ownWatch();
    const down: OpenPartnerBucket = async () => {
      throw new TributaryError('unavailable', 'STS is unavailable.');
    };
    for (let i = 1; i <= 6; i++) {
      await makeDue(id);
      expect(await poll(down)).toEqual({ polls: 0, pollsFailed: 1 });
    }
    expect(await find(id)).toMatchObject({ state: 'active', pollError: 'STS is unavailable.' });
  });

  it('is paused if the bucket cannot be listed five times, and says why', async () => {
    const id = await ownWatch();
    const refused: OpenPartnerBucket = async () => {
      throw new StorageFault('access_denied', 'The bucket refused the credentials.');
    };
    for (let i = 1; i <= 5; i++) {
      expect((await find(id)).state).toBe('active');
      await makeDue(id);
      expect(await poll(refused)).toEqual({ polls: 0, pollsFailed: 1 });
    }
    expect(await find(id)).toMatchObject({
      state: 'paused',
      pausedReason: 'The bucket refused the credentials. Correct this, then resume the watch.',
      pollError: 'The bucket refused the credentials.',
    });
    await imports.records.watches.resume(id);
    await poll(listing([version('day/1', 1)]));
    expect(await find(id)).toMatchObject({ state: 'active', pollError: null, filesWaiting: 1 });
  });
});

describe('a watch of an audience', () => {
  async function audience(): Promise<number> {
    const scope = { partnerId: acme.partnerId, customerId: null };
    const { audienceId } = await createAudience(
      imports.records,
      scope,
      'Visitors',
      `${acme.prefix}none`,
      10,
    );
    await runJobs();
    return audienceId;
  }

  const ofAudience = { keyType: null, mode: null } as const;

  it('leaves its audience as it was if a file is deleted before it is read', async () => {
    const audienceId = await audience();
    await watch({ ...ofAudience, audienceId });
    await acme.put('day/1.csv', rows(0, 10, ''));
    expect(await loadAll()).toBe(1);
    await acme.put('day/gone.csv', rows(10, 20, ''));
    await queue();
    await imports.objects.removeAll(`${acme.prefix}day/gone.csv`, signal);
    expect(await loadAll()).toBe(1);
    const scope = { partnerId: acme.partnerId, customerId: null };
    expect(await imports.records.audiences.find(scope, audienceId)).toMatchObject({
      state: 'done',
      uniqueDevices: 10,
    });
  });

  it('appends each file once, and not again after a clear', async () => {
    const audienceId = await audience();
    const id = await watch({ ...ofAudience, audienceId });
    await acme.put('day/1.csv', rows(0, 10, ''));
    expect(await loadAll()).toBe(1);
    await acme.put('day/bad.csv', 'bad');
    await acme.put('day/2.csv', rows(10, 15, ''));
    expect(await loadAll()).toBe(2);
    expect(await states(id)).toEqual([
      'day/1.csv loaded',
      'day/bad.csv failed',
      'day/2.csv loaded',
    ]);
    const scope = { partnerId: acme.partnerId, customerId: null };
    expect(await imports.records.audiences.find(scope, audienceId)).toMatchObject({
      uniqueDevices: 15,
    });
    await acme.put('day/gone.csv', rows(20, 25, ''));
    await queue();
    await imports.objects.removeAll(`${acme.prefix}day/gone.csv`, signal);
    expect(await loadAll()).toBe(1);
    expect((await states(id)).at(-1)).toBe('day/gone.csv replaced');
    await acme.put('day/3.csv', rows(15, 20, ''));
    await queue();
    await clearAudience(imports.records, scope, audienceId);
    expect(await loadAll()).toBe(0);
    expect((await states(id)).at(-1)).toBe('day/3.csv cancelled');
    await acme.put('day/4.csv', rows(0, 3, ''));
    expect(await loadAll()).toBe(1);
    expect(await imports.records.audiences.find(scope, audienceId)).toMatchObject({
      uniqueDevices: 3,
    });
  });
});
