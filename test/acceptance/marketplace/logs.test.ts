import { describe, expect } from 'vitest';
import type { ImportLog } from '../api.ts';
import { progressMembers } from '../expectations.ts';
import { device, type Marketplace, rows } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

const path = '/v1/marketplace/import';

describe('GET of the logs', { concurrent: true }, () => {
  test('returns the last 100 jobs, newest first', async () => {
    const partner = await marketplace.partner('k');
    const { call } = partner;
    expect((await call('GET', path)).body).toEqual([]);
    const ids: number[] = [];
    for (let i = 0; i < 104; i++) ids.push(await partner.queue(`missing-${i}.csv`));
    const list = await call('GET', path);
    expect(list.status).toBe(200);
    expect(list.body.map((log: ImportLog) => log.import_log_id)).toEqual(
      ids.toReversed().slice(0, 100),
    );
    expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
  });

  test('shows each job as its own GET does, and none of another partner', async () => {
    const acme = await marketplace.partner('k');
    const bravo = await marketplace.partner('k');
    const log = await acme.importedFile(rows(1, 2, 'k'));
    await bravo.importedFile(rows(1, 2, 'k'));
    expect((await acme.call('GET', path)).body).toEqual([log]);
    const one = await acme.call('GET', `${path}/${log.import_log_id}`);
    expect([one.status, one.body]).toEqual([200, log]);
  });

  test('gives the same 404 for an ID that is unknown, malformed or of another partner', async () => {
    const acme = await marketplace.partner('k');
    const log = await acme.importedFile(rows(1, 2, 'k'));
    const { call } = await marketplace.partner();
    const words = new Set<string>();
    for (const id of [log.import_log_id, 999_999_999, 0, -1, '01', 'x', '1.5', '9'.repeat(30)]) {
      for (const below of ['', '/files', '/rejects', '/progress']) {
        const answer = await call('GET', `${path}/${id}${below}`);
        expect([id, answer.status, answer.body?.code]).toEqual([id, 404, 'not_found']);
        words.add(answer.body.detail);
      }
    }
    expect(words.size).toBe(1);
  });
});

describe('errors', { concurrent: true }, () => {
  test('have the first occurrence and the count per kind of problem and file, 100 at most', async () => {
    const partner = await marketplace.partner('k');
    const faults = `bad,k\nbad,k\n${device(1)},nobody\n`;
    for (let i = 10; i < 70; i++) {
      await partner.upload(`many/${i}.csv`, rows(1, 57, 'k') + faults);
    }
    const log = await partner.imported('many/');
    expect(log).toMatchObject({ status: 2, total_rows: '3600', unique_devices: '57' });
    expect(log.errors).toHaveLength(100);
    expect(log.errors?.slice(0, 3)).toMatchObject([
      { code: 'malformed_id', file: `${partner.storage.prefix}many/10.csv`, line: 58, count: 2 },
      { code: 'unknown_key', file: `${partner.storage.prefix}many/10.csv`, line: 60, count: 1 },
      { code: 'malformed_id', file: `${partner.storage.prefix}many/11.csv`, line: 58, count: 2 },
    ]);
  });

  test('always include the problem that made the import fail', async () => {
    const partner = await marketplace.partner('k');
    for (let i = 0; i < 101; i++) {
      await partner.upload(`many/${100 + i}`, `${rows(1, 30, 'k')}bad,k\n`);
    }
    await partner.upload('many/999', 'one,two,three\n');
    const log = await partner.imported('many/');
    expect(log.status).toBe(3);
    expect(log.errors).toHaveLength(100);
    expect(log.errors?.[0]).toMatchObject({ code: 'wrong_columns' });
  });
});

describe('/files', { concurrent: true }, () => {
  test('shows each file with its status, rows, rejects and time, in key order', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('day/2.csv', `${rows(1, 30, 'k')}bad,k\n`);
    await partner.upload('day/1.csv', rows(1, 3, 'k'));
    const { import_log_id } = await partner.imported('day/');
    const answer = await partner.call('GET', `${path}/${import_log_id}/files`);
    expect(answer.status).toBe(200);
    const updated_at = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
    const { prefix } = partner.storage;
    expect(answer.body).toEqual([
      { s3_path: `${prefix}day/1.csv`, status: 2, total_rows: 3, rejected_rows: 0, updated_at },
      { s3_path: `${prefix}day/2.csv`, status: 2, total_rows: 31, rejected_rows: 1, updated_at },
    ]);
  });

  test('shows which file failed and which were not read', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('day/1.csv', rows(1, 3, 'k'));
    await partner.upload('day/2.csv', `bad,k\n${rows(1, 3, 'k')}`);
    await partner.upload('day/3.csv', rows(1, 3, 'k'));
    const { import_log_id } = await partner.imported('day/');
    const { body } = await partner.call('GET', `${path}/${import_log_id}/files`);
    expect(body).toMatchObject([
      { status: 2, total_rows: 3, rejected_rows: 0 },
      { status: 3, total_rows: 4, rejected_rows: 1 },
      { status: 0, total_rows: 0, rejected_rows: 0 },
    ]);
  });

  test('is empty for a deletion', async () => {
    const partner = await marketplace.partner('k');
    const { import_log_id } = await partner.deleted(['k']);
    expect((await partner.call('GET', `${path}/${import_log_id}/files`)).body).toEqual([]);
  });
});

describe('/rejects', { concurrent: true }, () => {
  test('downloads the rejected rows: file, line, code and the original line, safe for a spreadsheet', async () => {
    const partner = await marketplace.partner('k');
    const text = `${rows(1, 60, 'k')}=1+2,k\n"a""b",k\n${'x'.repeat(2_000)},k\n`;
    const { import_log_id } = await partner.importedFile(text);
    const answer = await partner.call('GET', `${path}/${import_log_id}/rejects`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
    const file = `${partner.storage.prefix}devices.csv`;
    expect(answer.text.split('\r\n')).toEqual([
      'file,line,code,original',
      `${file},61,malformed_id,"'=1+2,k"`,
      `${file},62,malformed_id,"""a""""b"",k"`,
      `${file},63,malformed_id,${'x'.repeat(1024)}`,
      '',
    ]);
  });

  test('has the exact bytes as JSON lines', async () => {
    const partner = await marketplace.partner('k');
    const { import_log_id } = await partner.importedFile(`${rows(1, 60, 'k')}=1+2,k\n`);
    const headers = { accept: 'application/x-ndjson' };
    const answer = await partner.call('GET', `${path}/${import_log_id}/rejects`, { headers });
    expect(answer.text.trimEnd().split('\n')).toHaveLength(1);
    expect(answer.body).toEqual({
      file: `${partner.storage.prefix}devices.csv`,
      line: 61,
      code: 'malformed_id',
      original: '=1+2,k',
      encoding: 'utf-8',
    });
  });

  test('has at most 10,000 rows per file, also for a failed import', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('day/1.csv', 'bad,k\n'.repeat(10_050));
    const log = await partner.imported('day/');
    expect(log).toMatchObject({ status: 3, total_rows: '10050' });
    const { text } = await partner.call('GET', `${path}/${log.import_log_id}/rejects`);
    expect(text.trimEnd().split('\r\n')).toHaveLength(10_001);
  });
});

describe('/progress', { concurrent: true }, () => {
  test('shows bytes, rows, rate, the queue position and the job ahead', async () => {
    const partner = await marketplace.partner('k');
    const content = rows(1, 60_000, 'k');
    await partner.upload('big.csv', content);
    const ids = [await partner.queue('big.csv'), await partner.queue('big.csv')];
    const last = await partner.queue('big.csv');
    const waiting = await partner.call('GET', `${path}/${last}/progress`);
    expect([waiting.status, Object.keys(waiting.body).sort()]).toEqual([
      200,
      progressMembers.toSorted(),
    ]);
    if (waiting.body.queue_position > 0) expect(waiting.body.waiting_for).toBe(ids[1]);
    await partner.ended(last);
    const { body } = await partner.call('GET', `${path}/${last}/progress`);
    expect(body).toEqual({
      bytes_read: content.length,
      bytes_total: content.length,
      rows_read: 60_000,
      rows_per_second: expect.any(Number),
      queue_position: null,
      waiting_for: null,
      eta_seconds: 0,
    });
  });

  test('sends events until the job has ended', async () => {
    const partner = await marketplace.partner('k');
    await partner.upload('big.csv', rows(1, 60_000, 'k'));
    await partner.queue('big.csv');
    const id = await partner.queue('big.csv');
    const headers = { accept: 'text/event-stream' };
    const { headers: got, text } = await partner.call('GET', `${path}/${id}/progress`, { headers });
    expect(got.get('content-type')).toMatch(/^text\/event-stream/);
    const events = text.split('\n\n').filter((event) => event.startsWith('event: progress\n'));
    const sent = events.map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
    for (const each of sent) expect(Object.keys(each).sort()).toEqual(progressMembers.toSorted());
    expect(sent.at(-1)).toMatchObject({ queue_position: null, rows_read: 60_000, eta_seconds: 0 });
    expect((await partner.log(id)).status).toBe(2);
  });
});
