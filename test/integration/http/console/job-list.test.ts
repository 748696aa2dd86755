import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failAudienceLoad } from '../../../../src/actions/fail-audience-load.ts';
import { queueDeletion } from '../../../../src/actions/queue-deletion.ts';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import type { ImportProblem } from '../../../../src/domain/import-problems.ts';
import { limits } from '../../../../src/domain/limits.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { password, signIn, someUser } from '../../../support/console-session.ts';
import { dataOf, eventsOf } from '../../../support/events.ts';
import { expectProblem } from '../../../support/http.ts';
import {
  type AudiencePartner,
  audiencePartner,
  audiencesPath,
} from '../../../support/http-audiences.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/console/jobs';

async function jobsOf({ call }: Pick<AudiencePartner, 'call'>, query = '') {
  const { status, body } = await call('GET', path + query);
  expect(status).toBe(200);
  return body;
}

function submitImport({ partnerId }: AudiencePartner, dryRun = false): Promise<number> {
  const request = { filePath: 'devices.csv', keyType: 1, pathType: 0, dryRun } as const;
  return queueImport(service.records, partnerId, request);
}

/** Claims the partner's next job. */
async function claim({ partnerId }: AudiencePartner) {
  for (;;) {
    const claimed = (await service.records.jobs.claim(60))!;
    if (claimed.partnerId === partnerId) return claimed;
  }
}

function problem(code: ImportProblem['code'], message = `It is ${code}.`): ImportProblem {
  return { code, message, file: 'f', line: 1, column: 1, value: 'x', count: 2 };
}

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const nothingRead = {
  bytes_read: 0,
  bytes_total: 0,
  rows_read: 0,
  rows_per_second: null,
  eta_seconds: null,
};

describe('the list of jobs', () => {
  test('has every kind, newest first, each with its position in the lane', async () => {
    const partner = await audiencePartner(service);
    const imported = await submitImport(partner);
    const tried = await submitImport(partner, true);
    const keys = Array.from({ length: 30 }, (_, n) => `key ${n}`);
    const deletion = { keyType: 1, keys, withDefinitions: false } as const;
    const deleted = await queueDeletion(service.records, partner.partnerId, deletion);
    const audienceId = await partner.create({ name: 'Tea', file_path: 'tea/' });
    const { body: audience } = await partner.call('GET', `${audiencesPath}/${audienceId}`);
    const common = {
      state: 'pending',
      path: 'devices.csv',
      keys: null,
      key_count: null,
      audience: null,
      total_rows: 0,
      unique_devices: 0,
      problem: null,
      problem_count: 0,
      created_at: timestamp,
      started_at: null,
      updated_at: timestamp,
    };
    const place = (queue_position: number, waiting_for: number | null) => {
      return { progress: { ...nothingRead, queue_position, waiting_for } };
    };
    expect(await jobsOf(partner)).toEqual([
      {
        ...common,
        job_id: expect.any(Number),
        kind: 'audience',
        path: `${partner.prefix}tea/`,
        audience: {
          audience_id: audienceId,
          name: 'Tea',
          default_warehouse_segment_id: audience.default_warehouse_segment_id,
        },
        unique_devices: null,
        ...place(4, deleted),
      },
      {
        ...common,
        job_id: deleted,
        kind: 'deletion',
        path: null,
        keys: keys.slice(0, 20),
        key_count: 30,
        ...place(3, tried),
      },
      { ...common, job_id: tried, kind: 'dry_run', ...place(2, imported) },
      { ...common, job_id: imported, kind: 'import', ...place(1, null) },
    ]);
  });

  test('has the same progress for each job as its own report, however long the lane', async () => {
    const partner = await audiencePartner(service);
    for (let n = 0; n < 103; n++) await submitImport(partner);
    await service.records.jobs.settle(await claim(partner), 'done');
    const running = await claim(partner);
    const noted = { bytesRead: 10, bytesTotal: 40, rowsRead: 7 };
    await service.records.jobProgress.save(running, noted);
    // One in the middle has ended, like a load whose audience was cleared.
    await sql`update job set state = 'cancelled' where job_id = ${running.jobId + 50}`.execute(
      service.database.db,
    );
    const jobs = await jobsOf(partner);
    expect(jobs).toHaveLength(100);
    for (const { job_id, progress } of jobs) {
      const { body } = await partner.call('GET', `/v1/marketplace/import/${job_id}/progress`);
      expect({ job_id, ...progress }).toEqual({ job_id, ...body });
    }
    expect(jobs[0].progress).toMatchObject({ queue_position: 100 });
    expect(jobs.at(-1).progress).toMatchObject({ queue_position: 2 });
  });

  test('is read in pages, and filtered by state, kind and text, with the real places in the queue', async () => {
    const partner = await audiencePartner(service);
    const first = await submitImport(partner);
    await service.records.jobs.settle(await claim(partner), 'failed');
    const deletion = { keyType: 1, keys: ['Ärzte 50%'], withDefinitions: false } as const;
    const deleted = await queueDeletion(service.records, partner.partnerId, deletion);
    const tried = await submitImport(partner, true);
    await partner.create({ name: 'Tea drinkers', file_path: 'tea/' });
    const [{ job_id: loaded }] = await jobsOf(partner);
    const idsOf = async (query: string) => {
      const jobs = await jobsOf(partner, query);
      return jobs.map(({ job_id }: { job_id: number }) => job_id);
    };
    expect(await idsOf('?limit=2')).toEqual([loaded, tried]);
    expect(await idsOf(`?limit=2&after=${tried}`)).toEqual([deleted, first]);
    expect(await idsOf('?state=failed')).toEqual([first]);
    expect(await idsOf('?kind=dry_run')).toEqual([tried]);
    expect(await idsOf('?kind=audience')).toEqual([loaded]);
    expect(await idsOf('?kind=import&state=pending')).toEqual([]);
    expect(await idsOf('?search=TEA')).toEqual([loaded]);
    expect(await idsOf('?search=devices.csv')).toEqual([tried, first]);
    // Searching the keys would read megabytes for each deletion.
    expect(await idsOf(`?search=${encodeURIComponent('Ärzte 50%')}`)).toEqual([]);
    expect(await idsOf(`?search=${tried}`)).toEqual([tried]);
    const [failed] = await jobsOf(partner, '?state=failed');
    expect(failed).toMatchObject({ started_at: timestamp, updated_at: timestamp });
    expect(await jobsOf(partner, '?kind=dry_run')).toMatchObject([
      { progress: { queue_position: 2, waiting_for: deleted } },
    ]);
    const { headers } = await partner.call('GET', `${path}?limit=1&search=devices`);
    expect(headers.get('link')).toBe(`<${path}?limit=1&search=devices&after=${tried}>; rel="next"`);
    for (const query of ['?state=lost', '?kind=x', '?limit=0', '?other=1']) {
      expectProblem(await partner.call('GET', path + query), 400, 'invalid_input');
    }
  });

  test('with a filter searches a limited number of jobs at a time', async () => {
    const partner = await audiencePartner(service);
    const oldest = await submitImport(partner, true);
    await submitImport(partner);
    const count = limits.searchedJobs.most;
    await sql`
      insert into job (partner_id, kind, state)
      select ${partner.partnerId}, 'import', 'done' from generate_series(1, ${count - 1})
    `.execute(service.database.db);
    for (const filter of ['kind=dry_run', 'search=devices.csv', 'state=failed']) {
      const first = await partner.call('GET', `${path}?${filter}`);
      expect(first.body).toHaveLength(filter.startsWith('search') ? 1 : 0);
      const [, next] = /<(.*)>/.exec(first.headers.get('link') ?? '')!;
      const second = await partner.call('GET', next!);
      expect(second.body.map(({ job_id }: { job_id: number }) => job_id)).toEqual(
        filter === 'state=failed' ? [] : [oldest],
      );
      expect(second.headers.get('link')).toBeNull();
    }
  });

  test('shows how an import ended, and the problem that failed it', async () => {
    const partner = await audiencePartner(service);
    const { importLogs, jobs } = service.records;
    const ended = async (state: 'done' | 'failed', ...problems: ImportProblem[]) => {
      await submitImport(partner);
      const claimed = await claim(partner);
      const result = { uniqueDevices: 5, totalRows: 2 ** 40, problems };
      await importLogs.settle(claimed.jobId, result);
      await jobs.settle(claimed, state);
      return (await jobsOf(partner))[0];
    };
    const [malformed, wrong] = [problem('malformed_id'), problem('wrong_columns')];
    const codeAndMessage = ({ code, message }: ImportProblem) => ({ code, message });
    const counts = { total_rows: 2 ** 40, unique_devices: 5 };
    expect(await ended('done')).toMatchObject({ ...counts, state: 'done', problem: null });
    const dropped = await ended('done', malformed, problem('zeroed_id'));
    expect(dropped).toMatchObject({ state: 'done', problem_count: 2 });
    expect(dropped.problem).toEqual(codeAndMessage(malformed));
    const failed = await ended('failed', malformed, wrong);
    expect(failed).toMatchObject({ state: 'failed', problem_count: 2 });
    expect(failed.problem).toEqual(codeAndMessage(wrong));
    expect(failed.progress).toMatchObject({ queue_position: null, eta_seconds: 0 });
  });

  test('shows the rows and problems of an audience load', async () => {
    const partner = await audiencePartner(service);
    const audienceId = await partner.create();
    const address = `${audiencesPath}/${audienceId}`;
    const load = await partner.beginLoad();
    await load.read('a.csv', 'b.csv', 'c.csv');
    await load.end('a.csv', { rows: 30, problems: [problem('malformed_id')] });
    await load.end('b.csv', { rows: 12 });
    const rows = { total_rows: 42, unique_devices: null };
    expect(await jobsOf(partner)).toMatchObject([
      { ...rows, state: 'running', problem: { code: 'malformed_id' }, problem_count: 1 },
    ]);
    const columns = problem('wrong_columns');
    await load.end('c.csv', { outcome: 'failed', rows: 0, problems: [columns] });
    await load.settle();
    const { code, message } = columns;
    expect(await jobsOf(partner)).toMatchObject([
      { ...rows, state: 'done', problem: { code, message }, problem_count: 2 },
    ]);

    // What a later load does with a file changes nothing of this one.
    await partner.call('PATCH', address, { json: { file_path: 'c.csv' } });
    const again = await partner.beginLoad();
    await again.read('c.csv');
    expect(await jobsOf(partner)).toMatchObject([
      { total_rows: 0, problem: null, problem_count: 0 },
      { ...rows, state: 'done', problem: { code, message }, problem_count: 2 },
    ]);
    const whole = problem('storage_unavailable');
    await failAudienceLoad(service.records, again.claim.jobId, whole);
    await again.settle('failed');
    expect((await jobsOf(partner))[0]).toMatchObject({
      state: 'failed',
      problem: { code: whole.code, message: whole.message },
      problem_count: 1,
    });

    await partner.call('PATCH', address, { json: { file_path: 'd/' } });
    const last = await partner.beginLoad();
    await last.read('d/1.csv', 'd/2.csv');
    await last.end('d/1.csv', { rows: 5, problems: [problem('malformed_id')] });
    await partner.call('PUT', address);
    const [cancelled, , first] = await jobsOf(partner);
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      problem: { code: 'malformed_id' },
      problem_count: 1,
      progress: { queue_position: null },
    });
    // The operator's figures are the same after the clear.
    const token = service.adminToken;
    const jobPath = (id: number) => `/admin/v1/jobs/${id}`;
    for (const { job_id, problem_count, problem } of [cancelled, first]) {
      const { body } = await service.call('GET', jobPath(job_id), { token });
      expect(body).toMatchObject({ problem_count, problem, rejected_rows: 2, problems: [] });
    }
    expect(first).toMatchObject({
      ...rows,
      state: 'done',
      problem: { code, message },
      problem_count: 2,
    });
  });

  test('is visible only to the partner, with a key or signed in', async () => {
    const partner = await audiencePartner(service);
    const jobId = await submitImport(partner);
    const signedIn = await signIn(service, { api_key: partner.token });
    expect(await jobsOf(signedIn)).toMatchObject([{ job_id: jobId }]);
    expect(await jobsOf(await audiencePartner(service))).toEqual([]);
    const { email } = await someUser(service);
    const strangers = [{ email, password }, { admin_token: service.adminToken }];
    for (const credentials of strangers) {
      const { call } = await signIn(service, credentials);
      expectProblem(await call('GET', path), 403, 'forbidden');
    }
    expectProblem(await service.call('GET', path), 401, 'unauthenticated');
  });
});

test('an import can be queued again with the request that it was queued with', async () => {
  const partner = await audiencePartner(service);
  const requestPath = (id: number) => `/v1/console/imports/${id}/request`;
  const json = { file_path: 'a/', key_type: 0, mode: 'replace', compressed: true, dry_run: true };
  const queued = await partner.call('POST', '/v1/marketplace/import', { json });
  const { status, body } = await partner.call('GET', requestPath(queued.body.import_log_id));
  expect({ status, body }).toEqual({ status: 200, body: { ...json, path_type: 0 } });
  const plain = await partner.call('GET', requestPath(await submitImport(partner)));
  expect(plain.body).toMatchObject({ compressed: null, mode: 'merge', dry_run: false });

  const deletion = { keyType: 1, keys: ['k'], withDefinitions: false } as const;
  const deleted = await queueDeletion(service.records, partner.partnerId, deletion);
  const theirs = await submitImport(await audiencePartner(service));
  for (const id of [deleted, theirs, 0]) {
    expectProblem(await partner.call('GET', requestPath(id)), 404, 'not_found');
  }
});

test('the stream of jobs sends the list immediately and after each change', async () => {
  const partner = await audiencePartner(service);
  const { cookie } = await signIn(service, { api_key: partner.token });
  const leaving = new AbortController();
  const events = eventsOf(service.url + path, { cookie }, leaving.signal);
  const next = async () => {
    const { jobs, next: after } = dataOf((await events.next()).value!, 'jobs');
    expect(after).toBeNull();
    return jobs;
  };
  expect(await next()).toEqual([]);
  const jobId = await submitImport(partner);
  expect(await next()).toEqual(await jobsOf(partner));
  const running = await claim(partner);
  const noted = { bytesRead: 10, bytesTotal: 40, rowsRead: 7 };
  await service.records.jobProgress.save(running, noted);
  const changed = [await next()];
  // The stream may have read between the claim and the progress note.
  if (changed[0][0].progress.rows_read === 0) changed.push(await next());
  expect(changed.at(-1)).toMatchObject([
    { job_id: jobId, state: 'running', progress: { rows_read: 7, queue_position: 0 } },
  ]);
  leaving.abort();
});
