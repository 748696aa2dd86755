import { describe, expect } from 'vitest';
import { expectProblem } from '../expectations.ts';
import { type Answer, type Marketplace, type Partner, rows } from '../marketplace/marketplace.ts';
import { test } from '../marketplace/shared-marketplace.ts';
import { type Audience, audiencePath, ingestOf, timestamp } from './ingest.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

const good = { name: 'visitors', file_path: 'devices.csv' };
const badPaths: readonly [string, unknown][] = [
  ['an empty file_path', ''],
  ['a file_path of just "/"', '/'],
  ['a ".." segment', 'a/../b'],
  ['a control character', 'a\u0000b'],
  ['a file_path that is not a string', 7],
  ['a file_path that is null', null],
  ['no file_path', undefined],
  ['a bucket that is not the shared one', 's3://somewhere-else/devices.csv'],
];

describe.each(['/v2/firstparty/audience', '/v1/firstparty/audience'])(
  'under %s',
  { concurrent: true },
  (path) => {
    test('POST creates an audience: 201, {audience_id, default_warehouse_segment_id} and a Location of the same version', async () => {
      const { call } = await marketplace.partner();
      const answer = await call('POST', path, { json: good });
      expect(answer.status).toBe(201);
      expect(Object.keys(answer.body)).toEqual(['audience_id', 'default_warehouse_segment_id']);
      for (const id of Object.values(answer.body)) {
        expect(Number.isSafeInteger(id) && Number(id) > 0).toBe(true);
      }
      const location = `${path}/${answer.body.audience_id}`;
      expect(answer.headers.get('location')).toBe(location);
      expect((await call('GET', location)).body).toMatchObject(answer.body);
    });

    test('GET returns an audience with its file array and exactly the specified fields and types', async () => {
      const partner = await marketplace.partner();
      await partner.upload('devices.csv', rows(6_000_001, 6_000_003, 'seen'));
      const created = await partner.call('POST', path, { json: good });
      await ingestOf(partner).settled(created.body.audience_id);
      const answer = await partner.call('GET', `${path}/${created.body.audience_id}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toStrictEqual({
        audience_id: created.body.audience_id,
        name: 'visitors',
        unique_devices: 3,
        default_warehouse_segment_id: created.body.default_warehouse_segment_id,
        status: 2,
        created_at: expect.stringMatching(timestamp),
        updated_at: expect.stringMatching(timestamp),
        uploaded_devices: 3,
        matched_devices: 0,
        file: [
          {
            s3_path: `${partner.storage.prefix}devices.csv`,
            status: 2,
            rows_uploaded: 3,
            updated_at: expect.stringMatching(timestamp),
          },
        ],
      });
      expect(answer.body.updated_at >= answer.body.created_at).toBe(true);
      // A finished load does not change any more.
      expect((await partner.call('GET', `${path}/${created.body.audience_id}`)).body).toEqual(
        answer.body,
      );
    });

    test('GET lists the audiences without file, by ascending audience_id', async () => {
      const partner = await marketplace.partner();
      expect((await partner.call('GET', path)).body).toEqual([]);
      const ingest = ingestOf(partner);
      const ids: number[] = [];
      for (const name of ['b', 'a', 'a']) ids.push(await ingest.create('missing.csv', name));
      const records: Audience[] = [];
      for (const id of ids) {
        const { file: _, ...record } = await ingest.settled(id);
        records.push(record);
      }
      expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
      const list = await partner.call('GET', path);
      expect([list.status, list.body]).toEqual([200, records]);
    });

    test('PATCH appends and PUT clears: 204, no body', async () => {
      const partner = await marketplace.partner();
      const ingest = ingestOf(partner);
      await partner.upload('devices.csv', rows(1, 3, ''));
      await partner.upload('more.csv', rows(3, 9, ''));
      const { audience_id } = await ingest.loaded('devices.csv');
      const json = { file_path: 'more.csv' };
      const appended = await partner.call('PATCH', `${path}/${audience_id}`, { json });
      expect([appended.status, appended.text]).toEqual([204, '']);
      expect(await ingest.settled(audience_id)).toMatchObject({ status: 2, unique_devices: 9 });
      const cleared = await partner.call('PUT', `${path}/${audience_id}`);
      expect([cleared.status, cleared.text]).toEqual([204, '']);
      expect(await ingest.details(audience_id)).toMatchObject({ unique_devices: 0, file: [] });
    });

    test('limit and after page through the list, with a Link to the next page', async () => {
      const partner = await marketplace.partner();
      const ingest = ingestOf(partner);
      const ids: number[] = [];
      for (let i = 0; i < 5; i++) ids.push(await ingest.create('missing.csv'));
      const pages: number[][] = [];
      for (let next: string | undefined = `${path}?limit=2`; next; ) {
        const answer: Answer = await partner.call('GET', next);
        pages.push(answer.body.map((audience: Audience) => audience.audience_id));
        const link: string | null = answer.headers.get('link');
        if (link) expect(link).toMatch(/^<[^>]+>; rel="next"$/);
        next = link?.match(/<([^>]+)>/)?.[1];
        if (next) expect(next.startsWith(`${path}?`)).toBe(true);
      }
      expect(pages.flat()).toEqual(ids);
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      const after = await partner.call('GET', `${path}?after=${ids[2]}`);
      expect(after.body.map((audience: Audience) => audience.audience_id)).toEqual(ids.slice(3));
      expect(after.headers.get('link')).toBeNull();
      const beyond = await partner.call('GET', `${path}?after=${ids[4]}&limit=1000`);
      expect([beyond.status, beyond.body]).toEqual([200, []]);
    });
  },
);

test('the list without a limit contains all audiences', async () => {
  const ingest = ingestOf(await marketplace.partner());
  const ids: number[] = [];
  for (let i = 0; i < 105; i++) ids.push(await ingest.create('missing.csv'));
  expect((await ingest.list()).map(({ audience_id }) => audience_id)).toEqual(ids);
});

describe('the list refuses with 400', () => {
  const { call } = sharedPartner();
  test.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'after=-1', 'after=x', 'page=2'])(
    '%s',
    async (query) => {
      expectProblem(await call('GET', `${audiencePath}?${query}`), 400, 'invalid_input');
    },
  );
});

describe('POST refuses with 400, names the field, and creates nothing:', () => {
  const { call } = sharedPartner();

  test.each<[string, string, object]>([
    ['no name', '/name', { file_path: 'a' }],
    ['an empty name', '/name', { ...good, name: '' }],
    ['a name of 256 characters', '/name', { ...good, name: '😀'.repeat(256) }],
    ['a control character in the name', '/name', { ...good, name: 'a\nb' }],
    ['a name that is a number', '/name', { ...good, name: 7 }],
    ['a name that is null', '/name', { ...good, name: null }],
    ['an unknown field', '/customer', { ...good, customer: 1 }],
    ['a field of the marketplace API', '/key_type', { ...good, key_type: 1 }],
    ...badPaths.map(([what, filePath]): [string, string, object] => [
      what,
      '/file_path',
      { ...good, file_path: filePath },
    ]),
  ])('%s', async (_, pointer, json) => {
    const answer = await call('POST', audiencePath, { json });
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(
      pointer,
    );
    expect((await call('GET', audiencePath)).body).toEqual([]);
  });

  test('invalid JSON, and JSON that is not an object', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const text of ['{"name":', '', 'null', '[]', '"devices.csv"', '{} {}']) {
      const answer = await call('POST', audiencePath, { text, headers });
      expect([text, answer.status]).toEqual([text, 400]);
    }
  });

  test('a body that is not JSON with 415, and one over 1 MiB with 413', async () => {
    const headers = { 'content-type': 'text/plain' };
    const text = JSON.stringify(good);
    expectProblem(
      await call('POST', audiencePath, { text, headers }),
      415,
      'unsupported_media_type',
    );
    const large = { ...good, file_path: 'x'.repeat(1024 * 1024) };
    expectProblem(await call('POST', audiencePath, { json: large }), 413, 'body_too_large');
  });
});

describe('a file_path', { concurrent: true }, () => {
  test("that is only the partner's prefix, or in another bucket or prefix, is refused with 400", async () => {
    const acme = await marketplace.partner();
    const bravo = await marketplace.partner();
    const { bucket, prefix } = acme.storage;
    for (const filePath of [
      prefix,
      `/${prefix}`,
      `s3://${bucket}/${prefix}`,
      `s3://${bucket}/${bravo.storage.prefix}devices.csv`,
      `s3://${bucket}/devices.csv`,
      `s3://${bucket}`,
      `s3://another-bucket/${prefix}devices.csv`,
      `s3://${bucket}/${prefix}../${bravo.storage.prefix}devices.csv`,
    ]) {
      const json = { name: 'visitors', file_path: filePath };
      const answer = await acme.call('POST', audiencePath, { json });
      expect([filePath, answer.status]).toEqual([filePath, 400]);
      expect(answer.body.errors[0].pointer).toBe('/file_path');
    }
    expect(await ingestOf(acme).list()).toEqual([]);
  });
});

describe('a name', { concurrent: true }, () => {
  test('has 1 to 255 characters, counted as code points, and need not be unique', async () => {
    const ingest = ingestOf(await marketplace.partner());
    const names = ['x', '😀'.repeat(255), 'x'];
    for (const name of names) await ingest.create('missing.csv', name);
    expect((await ingest.list()).map(({ name }) => name)).toEqual(names);
  });
});

describe('PATCH refuses with 400', { concurrent: true }, () => {
  test('an invalid or missing file_path, and any other field', async () => {
    const partner = await marketplace.partner();
    const ingest = ingestOf(partner);
    const { audience_id } = await ingest.loadedFile(rows(1, 3, ''));
    const before = await ingest.details(audience_id);
    const bodies = [
      ...badPaths.map(([, file_path]) => ({ file_path })),
      {},
      good,
      { ...good, name: undefined, append: true },
    ];
    for (const json of bodies) {
      const answer = await partner.call('PATCH', `${audiencePath}/${audience_id}`, { json });
      expect([json, answer.status, answer.body?.code]).toEqual([json, 400, 'invalid_input']);
    }
    expect(await ingest.details(audience_id)).toEqual(before);
  });
});

describe('PUT', { concurrent: true }, () => {
  test('accepts no body or {}, with any content type, and refuses any other body', async () => {
    const partner = await marketplace.partner();
    const ingest = ingestOf(partner);
    const { audience_id } = await ingest.loadedFile(rows(1, 3, ''));
    const address = `${audiencePath}/${audience_id}`;
    for (const text of ['{"file_path":"a"}', '[]', 'null', 'clear', '{']) {
      for (const type of ['application/json', 'text/plain']) {
        const headers = { 'content-type': type };
        const answer = await partner.call('PUT', address, { text, headers });
        expect([text, type, answer.status]).toEqual([text, type, 400]);
      }
    }
    expect(await ingest.details(audience_id)).toMatchObject({ unique_devices: 3 });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      for (const text of ['', '{}']) {
        const headers = { 'content-type': type };
        const answer = await partner.call('PUT', address, { text, headers });
        expect([text, type, answer.status]).toEqual([text, type, 204]);
      }
    }
    expect((await partner.call('PUT', address)).status).toBe(204);
    expect(await ingest.details(audience_id)).toMatchObject({ unique_devices: 0 });
  });
});

test('RateLimit headers show how many requests an API key has left', async () => {
  const { call } = await marketplace.partner();
  const first = await call('GET', audiencePath);
  const second = await call('POST', audiencePath, { json: good });
  expect(first.headers.get('ratelimit-limit')).toBe('6000');
  expect(Number(second.headers.get('ratelimit-remaining'))).toBe(
    Number(first.headers.get('ratelimit-remaining')) - 1,
  );
  expect(Number(second.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
});

describe('with an Idempotency-Key', { concurrent: true }, () => {
  test('POST of the same body returns the same response and creates one audience; another body gives 422', async () => {
    const { call } = await marketplace.partner();
    const headers = { 'idempotency-key': 'night of the 3rd' };
    const first = await call('POST', audiencePath, { json: good, headers });
    const json = { file_path: 'devices.csv', name: 'visitors' };
    const again = await call('POST', audiencePath, { json, headers });
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      201,
      first.body,
      first.headers.get('location'),
    ]);
    const other = await call('POST', audiencePath, { json: { ...good, name: 'b' }, headers });
    expectProblem(other, 422, 'idempotency_key_reused');
    expect((await call('GET', audiencePath)).body).toHaveLength(1);
    const elsewhere = await marketplace.partner();
    const theirs = await elsewhere.call('POST', audiencePath, { json: good, headers });
    expect([theirs.status, theirs.body.audience_id === first.body.audience_id]).toEqual([
      201,
      false,
    ]);
  });

  test('concurrent POSTs create one audience; the others get its response or 409', async () => {
    const { call } = await marketplace.partner();
    const headers = { 'idempotency-key': 'k' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', audiencePath, { json: good, headers })),
    );
    for (const answer of answers) {
      if (answer.status !== 201) expectProblem(answer, 409, 'idempotency_key_in_use');
    }
    expect((await call('GET', audiencePath)).body).toHaveLength(1);
  });

  test('PATCH appends once: a repetition gives 204 and loads nothing', async () => {
    const partner = await marketplace.partner();
    const ingest = ingestOf(partner);
    const { audience_id } = await ingest.loadedFile(rows(1, 3, ''));
    const request = { json: { file_path: 'more.csv' }, headers: { 'idempotency-key': '1' } };
    const address = `${audiencePath}/${audience_id}`;
    await partner.upload('more.csv', rows(4, 6, ''));
    expect((await partner.call('PATCH', address, request)).status).toBe(204);
    expect(await ingest.settled(audience_id)).toMatchObject({ uploaded_devices: 6 });
    // Another job would load the new content.
    await partner.upload('more.csv', rows(4, 9, ''));
    const again = await partner.call('PATCH', address, request);
    expect([again.status, again.text]).toEqual([204, '']);
    expect(await ingest.settled(audience_id)).toMatchObject({ uploaded_devices: 6 });
  });

  test('PUT clears once: a repetition keeps later loads', async () => {
    const partner = await marketplace.partner();
    const ingest = ingestOf(partner);
    const { audience_id } = await ingest.loadedFile(rows(1, 3, ''));
    const request = { headers: { 'idempotency-key': '1' } };
    const address = `${audiencePath}/${audience_id}`;
    expect((await partner.call('PUT', address, request)).status).toBe(204);
    await ingest.appended(audience_id, 'devices.csv');
    expect((await partner.call('PUT', address, request)).status).toBe(204);
    expect(await ingest.settled(audience_id)).toMatchObject({ unique_devices: 3 });
  });
});

/** One partner shared by tests that change nothing. */
function sharedPartner(): Pick<Partner, 'call'> {
  let partner: Promise<Partner> | undefined;
  return {
    async call(...request) {
      partner ??= marketplace.partner();
      return (await partner).call(...request);
    },
  };
}
