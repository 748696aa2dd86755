import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failAudienceLoad } from '../../../../src/actions/fail-audience-load.ts';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import type { ImportProblem } from '../../../../src/domain/import-problems.ts';
import type { NewReject } from '../../../../src/records/queue/rejects.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { dataOf, eventsOf } from '../../../support/events.ts';
import { audiencePartner, audiencesPath, versions } from '../../../support/http-audiences.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

/** An audience whose first load has begun. */
async function loading() {
  const partner = await audiencePartner(service);
  const audienceId = await partner.create();
  const path = `${audiencesPath}/${audienceId}`;
  return {
    ...partner,
    audienceId,
    path,
    load: await partner.beginLoad(),
    append: () => partner.call('PATCH', path, { json: { file_path: 'more.csv' } }),
    clear: () => partner.call('PUT', path),
    errors: async () => (await partner.call('GET', `${path}/errors`)).body,
    /** Each reject as `file:line code`. */
    rejects: async () => {
      const { text } = await partner.call('GET', `${path}/rejects`);
      return text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',').slice(0, 2).join(':').slice(partner.prefix.length));
    },
    progress: async () => (await partner.call('GET', `${path}/progress`)).body,
  };
}

function problem(file: string | null, members: Partial<ImportProblem> = {}): ImportProblem {
  return {
    code: 'malformed_id',
    message: 'Not an identifier.',
    file,
    line: 3,
    column: 1,
    value: 'x',
    count: 2,
    ...members,
  };
}

const wholeLoad = problem(null, { code: 'no_files', line: null, column: null, value: null });

describe('errors', () => {
  test('are empty at first, in both versions', async () => {
    const { audienceId, call } = await loading();
    for (const version of versions) {
      const answer = await call('GET', `${version}/firstparty/audience/${audienceId}/errors`);
      expect([answer.status, answer.body]).toEqual([200, []]);
    }
  });

  test('begin with what failed, and are in load order', async () => {
    const { errors, load, prefix, call, path } = await loading();
    const [a, b] = [`${prefix}a.csv`, `${prefix}b.csv`];
    await load.enter('a.csv', 'b.csv');
    await load.end('a.csv', { problems: [problem(a), problem(a, { code: 'zeroed_id' })] });
    await load.end('b.csv', {
      outcome: 'failed',
      problems: [problem(b), problem(b, { code: 'wrong_columns' })],
    });
    expect(await errors()).toEqual([
      problem(b, { code: 'wrong_columns' }),
      problem(b),
      problem(a),
      problem(a, { code: 'zeroed_id' }),
    ]);
    expect(Object.keys((await errors())[0])).toEqual([
      'code',
      'message',
      'file',
      'line',
      'column',
      'value',
      'count',
    ]);
    await failAudienceLoad(service.records, load.claim.jobId, wholeLoad);
    await load.settle('failed');
    const all = await errors();
    expect(all[0]).toEqual(wholeLoad);
    expect(all).toHaveLength(5);
    const pages: ImportProblem[][] = [];
    for (let next: string | undefined = `${path}/errors?limit=3`; next; ) {
      const { body, headers } = await call('GET', next);
      pages.push(body);
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(pages).toEqual([all.slice(0, 3), all.slice(3)]);
  });

  test('of a whole load remain until a later load ends', async () => {
    const { append, beginLoad, errors, load } = await loading();
    await failAudienceLoad(service.records, load.claim.jobId, wholeLoad);
    await load.settle('failed');
    await append();
    expect(await errors()).toEqual([wholeLoad]);
    const next = await beginLoad();
    expect(await errors()).toEqual([wholeLoad]);
    await next.settle();
    expect(await errors()).toEqual([]);
  });

  test('are gone after a clear', async () => {
    const { clear, errors, load, prefix } = await loading();
    await load.enter('a.csv');
    await load.end('a.csv', { problems: [problem(`${prefix}a.csv`)] });
    await failAudienceLoad(service.records, load.claim.jobId, wholeLoad);
    await load.settle('failed');
    await clear();
    expect(await errors()).toEqual([]);
  });

  test('keep any text of a cell', async () => {
    const { errors, load, prefix } = await loading();
    const expected = problem(`${prefix}a.csv`, { value: '"\u2028😀\\', message: 'ü' });
    await load.enter('a.csv');
    await load.end('a.csv', { problems: [expected] });
    expect(await errors()).toEqual([expected]);
  });
});

function rejected(...lines: number[]): NewReject[] {
  return lines.map((line) => ({ line, code: 'malformed_id', original: Buffer.from(`x,${line}`) }));
}

describe('rejected rows', () => {
  test('are downloaded by file in load order and by line', async () => {
    const { audienceId, call, load, path, prefix, rejects } = await loading();
    await load.read('b.csv', 'a.csv');
    await service.records.rejects.add(load.claim, 1, rejected(7, 2));
    await service.records.rejects.add(load.claim, 0, rejected(9));
    expect(await rejects()).toEqual(['b.csv:9', 'a.csv:2', 'a.csv:7']);
    for (const file of ['a.csv', 'b.csv']) await load.end(file);
    await load.settle();
    const csv = await call('GET', `${path}/rejects`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename="audience-${audienceId}-rejects.csv"`,
    );
    expect(csv.text.split('\r\n').slice(0, 2)).toEqual([
      'file,line,code,original',
      `${prefix}b.csv,9,malformed_id,"x,9"`,
    ]);
    const lines = await call('GET', `${path}/rejects`, {
      headers: { accept: 'application/x-ndjson' },
    });
    expect(JSON.parse(lines.text.split('\n')[0]!)).toEqual({
      file: `${prefix}b.csv`,
      line: 9,
      code: 'malformed_id',
      original: 'x,9',
      encoding: 'utf-8',
    });
  });

  test('are those of the last load of each file', async () => {
    const { append, beginLoad, load, rejects } = await loading();
    await load.read('a.csv', 'b.csv');
    await service.records.rejects.add(load.claim, 0, rejected(1));
    await service.records.rejects.add(load.claim, 1, rejected(2));
    for (const file of ['a.csv', 'b.csv']) await load.end(file);
    await load.settle();
    await append();
    const next = await beginLoad();
    await next.read('b.csv', 'c.csv');
    await service.records.rejects.add(next.claim, 0, rejected(3));
    await service.records.rejects.add(next.claim, 1, rejected(4));
    expect(await rejects()).toEqual(['a.csv:1', 'b.csv:3', 'c.csv:4']);
  });

  test('of a lost attempt are not returned', async () => {
    const { load, rejects } = await loading();
    await load.read('a.csv', 'b.csv');
    await service.records.rejects.add(load.claim, 0, rejected(1));
    await service.records.rejects.add(load.claim, 1, rejected(2));
    await load.end('a.csv');
    await service.records.jobs.release(load.claim, 60);
    expect(await rejects()).toEqual(['a.csv:1']);
  });

  test('are returned in order without duplicates when there are thousands', async () => {
    const { load, rejects } = await loading();
    const lines = Array.from({ length: 1_500 }, (_, n) => n + 1);
    await load.read('a.csv', 'b.csv', 'c.csv');
    await service.records.rejects.add(load.claim, 0, rejected(...lines));
    await service.records.rejects.add(load.claim, 2, rejected(...lines));
    expect(await rejects()).toEqual(
      ['a.csv', 'c.csv'].flatMap((file) => lines.map((line) => `${file}:${line}`)),
    );
  });

  test('are gone after a clear', async () => {
    const { clear, load, rejects } = await loading();
    await load.read('a.csv');
    await service.records.rejects.add(load.claim, 0, rejected(1));
    await load.end('a.csv');
    await load.settle();
    await clear();
    expect(await rejects()).toEqual([]);
  });
});

describe('progress', () => {
  test('is that of the running load, then of the next one, finally of the latest', async () => {
    const { append, beginLoad, load, progress } = await loading();
    await append();
    await append();
    const note = { bytesRead: 1_000, bytesTotal: 4_000, rowsRead: 70_000 };
    await service.records.jobProgress.save(load.claim, note);
    expect(await progress()).toMatchObject({
      bytes_read: 1_000,
      bytes_total: 4_000,
      rows_read: 70_000,
      queue_position: 0,
      waiting_for: null,
    });
    await load.settle();
    expect(await progress()).toMatchObject({ rows_read: 0, queue_position: 1 });
    await (await beginLoad()).settle();
    expect(await progress()).toMatchObject({ queue_position: 1, waiting_for: null });
    const last = await beginLoad();
    await service.records.jobProgress.save(last.claim, { ...note, rowsRead: 5 });
    await last.settle('failed');
    expect(await progress()).toMatchObject({ rows_read: 5, queue_position: null, eta_seconds: 0 });
  });

  test('has the same fields as that of an import, and a load waits for imports', async () => {
    const { call, create, partnerId } = await audiencePartner(service);
    const request = { filePath: 'x', keyType: 1, pathType: 0 } as const;
    const importLogId = await queueImport(service.records, partnerId, request);
    const audienceId = await create();
    const { body, headers } = await call('GET', `${audiencesPath}/${audienceId}/progress`);
    const ofImport = await call('GET', `/v1/marketplace/import/${importLogId}/progress`);
    expect(Object.keys(body)).toEqual(Object.keys(ofImport.body));
    expect(body).toMatchObject({ queue_position: 2, waiting_for: importLogId });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('of a cleared audience has ended', async () => {
    const { clear, progress } = await loading();
    await clear();
    expect(await progress()).toMatchObject({ queue_position: null, eta_seconds: 0 });
  });

  test('as events continues over several loads and ends with the last one', async () => {
    const { append, beginLoad, load, path, token } = await loading();
    await append();
    const positions: unknown[] = [];
    const headers = { authorization: `Bearer ${token}` };
    let running = load;
    for await (const event of eventsOf(`${service.url}${path}/progress`, headers)) {
      positions.push(dataOf(event, 'progress').queue_position);
      if (positions.length > 2) continue;
      await running.settle();
      if (positions.length === 1) running = await beginLoad();
    }
    expect(positions.length).toBeGreaterThanOrEqual(3);
    expect(positions[0]).toBe(0);
    expect(positions.indexOf(null)).toBe(positions.length - 1);
  });
});
