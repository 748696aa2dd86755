import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { progressMembers } from '../expectations.ts';
import { device, type Marketplace, rows, startMarketplace } from '../marketplace/marketplace.ts';
import { audiencePath, ingestOf } from './ingest.ts';

let marketplace: Marketplace;
beforeAll(async () => {
  marketplace = await startMarketplace({ TRIBUTARY_SUPPRESSION_THRESHOLD: '3' });
});
afterAll(() => marketplace?.[Symbol.asyncDispose]());

async function started() {
  const partner = await marketplace.partner();
  return { partner, ingest: ingestOf(partner), prefix: partner.storage.prefix };
}

describe('/errors', { concurrent: true }, () => {
  test('has the first occurrence and the count of each kind of problem, failed files first, then in load order', async () => {
    const { partner, ingest, prefix } = await started();
    const faults = `bad,\nbad,\n${'a'.repeat(32)},\n`;
    await partner.upload('b.csv', rows(1, 60, '') + faults);
    await partner.upload('a.csv', rows(1, 60, '') + faults);
    await partner.upload('c.csv', 'one,two,three\n');
    const { audience_id } = await ingest.loaded('b.csv');
    await ingest.append(audience_id, 'c.csv');
    expect(await ingest.appended(audience_id, 'a.csv')).toMatchObject({ status: 3 });
    const errors = await ingest.errors(audience_id);
    expect(errors).toMatchObject([
      { code: 'wrong_columns', file: `${prefix}c.csv`, line: 1, count: 1 },
      { code: 'malformed_id', file: `${prefix}b.csv`, line: 61, column: 1, value: 'bad', count: 2 },
      { code: 'hashed_id', file: `${prefix}b.csv`, line: 63, count: 1 },
      { code: 'malformed_id', file: `${prefix}a.csv`, line: 61, count: 2 },
      { code: 'hashed_id', file: `${prefix}a.csv`, line: 63, count: 1 },
    ]);
    const members = ['code', 'message', 'file', 'line', 'column', 'value', 'count'];
    for (const error of errors) expect(Object.keys(error).sort()).toEqual(members.toSorted());
    // A problem of the whole load comes first.
    expect(await ingest.appended(audience_id, 'nothing.csv')).toMatchObject({ status: 3 });
    expect(await ingest.errors(audience_id)).toEqual([
      expect.objectContaining({ code: 'no_files', file: null, line: null, value: null, count: 1 }),
      ...errors,
    ]);
  });

  test('is empty for an audience without problems', async () => {
    const { ingest } = await started();
    const { audience_id } = await ingest.loadedFile(rows(1, 5, ''));
    expect(await ingest.errors(audience_id)).toEqual([]);
  });
});

describe('/rejects', { concurrent: true }, () => {
  test('downloads the rejected rows: file, line, code and the original line, safe for a spreadsheet', async () => {
    const { partner, ingest, prefix } = await started();
    await partner.upload('a.csv', `${rows(1, 60, '')}=1+2,k\n${'x'.repeat(2_000)},k\n`);
    await partner.upload('b.csv', `${rows(1, 60, '')}"a""b",k\n`);
    const { audience_id } = await ingest.loaded('a.csv');
    await ingest.appended(audience_id, 'b.csv');
    const address = `${audiencePath}/${audience_id}/rejects`;
    const answer = await partner.call('GET', address);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(answer.text.split('\r\n')).toEqual([
      'file,line,code,original',
      `${prefix}a.csv,61,malformed_id,"'=1+2,k"`,
      `${prefix}a.csv,62,malformed_id,${'x'.repeat(1024)}`,
      `${prefix}b.csv,61,malformed_id,"""a""""b"",k"`,
      '',
    ]);
    const headers = { accept: 'application/x-ndjson' };
    const lines = await partner.call('GET', address, { headers });
    expect(lines.text.trimEnd().split('\n')).toHaveLength(3);
    expect(lines.body).toEqual({
      file: `${prefix}a.csv`,
      line: 61,
      code: 'malformed_id',
      original: '=1+2,k',
      encoding: 'utf-8',
    });
  });

  test('has the rejects of the last load of a file, at most 10,000, until a clear', async () => {
    const { partner, ingest } = await started();
    const rejected = async (id: number) => {
      const { text } = await partner.call('GET', `${audiencePath}/${id}/rejects`);
      return text.trimEnd().split('\r\n').slice(1);
    };
    const { audience_id, status } = await ingest.loadedFile('bad,k\n'.repeat(10_050));
    expect(status).toBe(3);
    expect(await rejected(audience_id)).toHaveLength(10_000);
    await partner.upload('devices.csv', `${rows(1, 60, '')}worse,k\n`);
    await ingest.appended(audience_id, 'devices.csv');
    expect(await rejected(audience_id)).toEqual([expect.stringMatching(/,61,malformed_id,/)]);
    // The file is skipped as already loaded, and its rejects stay.
    await ingest.appended(audience_id, 'devices.csv');
    expect(await rejected(audience_id)).toHaveLength(1);
    await ingest.clear(audience_id);
    expect(await rejected(audience_id)).toEqual([]);
  });
});

describe('/progress', { concurrent: true }, () => {
  test('shows bytes, rows, rate and queue position of the running, next or last load', async () => {
    const { partner, ingest } = await started();
    const content = rows(1, 60_000, 'k');
    await partner.upload('big.csv', content);
    const audienceId = await ingest.endless();
    const id = await ingest.create('big.csv');
    const running = await partner.call('GET', `${audiencePath}/${audienceId}/progress`);
    expect([running.status, Object.keys(running.body).sort()]).toEqual([
      200,
      progressMembers.toSorted(),
    ]);
    expect(running.body).toMatchObject({ queue_position: 0, waiting_for: null });
    const waiting = await partner.call('GET', `${audiencePath}/${id}/progress`);
    expect(Object.keys(waiting.body).sort()).toEqual(progressMembers.toSorted());
    expect(waiting.body).toMatchObject({ queue_position: 1, bytes_read: 0, rows_read: 0 });
    expect(waiting.body.waiting_for).toBeGreaterThan(0);
    await ingest.clear(audienceId);
    await ingest.settled(id);
    const ended = await partner.call('GET', `${audiencePath}/${id}/progress`);
    expect(ended.body).toEqual({
      bytes_read: content.length,
      bytes_total: content.length,
      rows_read: 60_000,
      rows_per_second: expect.any(Number),
      queue_position: null,
      waiting_for: null,
      eta_seconds: 0,
    });
  });

  test('sends events until no load of the audience is open', async () => {
    const { partner, ingest } = await started();
    await partner.upload('one.csv', rows(1, 60_000, 'k'));
    await partner.upload('two.csv', rows(1, 30_000, 'k'));
    const id = await ingest.create('one.csv');
    await ingest.append(id, 'two.csv');
    const headers = { accept: 'text/event-stream' };
    const address = `${audiencePath}/${id}/progress`;
    const { headers: got, text } = await partner.call('GET', address, { headers });
    expect(got.get('content-type')).toMatch(/^text\/event-stream/);
    const events = text.split('\n\n').filter((event) => event.startsWith('event: progress\n'));
    const sent = events.map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
    for (const each of sent) expect(Object.keys(each).sort()).toEqual(progressMembers.toSorted());
    expect(sent.at(-1)).toMatchObject({ queue_position: null, rows_read: 30_000, eta_seconds: 0 });
    expect(await ingest.details(id)).toMatchObject({ status: 2, uploaded_devices: 90_000 });
  });

  test('advances while a file is read, and ends with a clear', async () => {
    const { partner, ingest } = await started();
    const audienceId = await ingest.endless();
    const headers = { accept: 'text/event-stream' };
    const address = `${audiencePath}/${audienceId}/progress`;
    const following = partner.call('GET', address, { headers });
    let rowsRead = 0;
    while (rowsRead === 0) {
      ({ rows_read: rowsRead } = (await partner.call('GET', address)).body);
    }
    expect((await partner.call('GET', address)).body.bytes_total).toBeGreaterThan(1_000_000);
    await ingest.clear(audienceId);
    expect((await following).text).toContain('event: progress\n');
  });
});

test('/composition suppresses cells below the configured threshold', async () => {
  const partner = await marketplace.partner('three', 'two');
  const ingest = ingestOf(partner);
  await partner.importedFile(rows(1, 3, 'three') + rows(4, 8, 'two') + rows(4, 6, 'three'));
  // 1 to 3 and 7, 8: three and two of five.
  const { audience_id } = await ingest.loadedFile(rows(1, 3, '') + rows(7, 8, ''));
  const { attributes } = await ingest.composition(audience_id);
  expect(attributes.slice(-2)).toMatchObject([
    { name: 'three', audience_devices: null, suppressed: 'too_few_others' },
    { name: 'two', audience_devices: null, suppressed: 'too_few_devices' },
  ]);
  await partner.upload('more.csv', rows(4, 4, ''));
  await ingest.appended(audience_id, 'more.csv');
  const { attributes: after } = await ingest.composition(audience_id);
  expect(after.slice(-2)).toMatchObject([
    { name: 'three', audience_devices: null, suppressed: 'too_few_others' },
    { name: 'two', audience_devices: 3, audience_share: 0.5, suppressed: null },
  ]);
});

test('every sub-resource is the same under /v1', async () => {
  const { partner, ingest } = await started();
  const { audience_id } = await ingest.loadedFile(`${rows(1, 60, '')}${device(1)}x,k\n`);
  for (const below of ['', '/errors', '/rejects', '/progress', '/composition']) {
    const [one, two] = await Promise.all(
      ['/v1', '/v2'].map((version) =>
        partner.call('GET', `${version}/firstparty/audience/${audience_id}${below}`),
      ),
    );
    expect([one?.status, one?.text]).toEqual([200, two?.text]);
  }
});
