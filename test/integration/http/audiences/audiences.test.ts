import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';
import {
  type AudiencePartner,
  audiencePartner,
  audiencesPath,
  versions,
} from '../../../support/http-audiences.ts';

let service: TestApp;
let acme: AudiencePartner;
beforeAll(async () => {
  service = await startTestApp();
  acme = await audiencePartner(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe.each(versions)('under %s', (version) => {
  const path = `${version}/firstparty/audience`;

  test('creating an audience returns its location in the version that was called', async () => {
    const json = { name: 'Summer sale', file_path: 'a.csv' };
    const answer = await acme.call('POST', path, { json });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      audience_id: expect.any(Number),
      default_warehouse_segment_id: expect.any(Number),
    });
    expect(answer.headers.get('location')).toBe(`${path}/${answer.body.audience_id}`);
  });

  test('an audience has exactly the specified fields and types', async () => {
    const audienceId = await acme.create();
    const { status, body } = await acme.call('GET', `${path}/${audienceId}`);
    expect(status).toBe(200);
    const expected = {
      audience_id: audienceId,
      name: 'Summer sale',
      unique_devices: 0,
      default_warehouse_segment_id: expect.any(Number),
      status: 0,
      created_at: timestamp,
      updated_at: timestamp,
      uploaded_devices: 0,
      matched_devices: 0,
    };
    expect(body).toEqual({ ...expected, file: [] });
    expect(Object.keys(body)).toEqual([...Object.keys(expected), 'file']);
    const list = (await acme.call('GET', path)).body;
    expect(list.at(-1)).toEqual(expected);
    expect(Object.keys(list.at(-1))).toEqual(Object.keys(expected));
  });

  test('appending files and clearing respond with 204', async () => {
    const audienceId = await acme.create();
    const patched = await acme.call('PATCH', `${path}/${audienceId}`, {
      json: { file_path: 'b.csv' },
    });
    const put = await acme.call('PUT', `${path}/${audienceId}`);
    for (const answer of [patched, put]) {
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers.get('content-type')).toBeNull();
    }
    expect((await acme.call('GET', `${path}/${audienceId}`)).body).toMatchObject({ status: 2 });
  });

  test('the link to the next page is in the version that was called', async () => {
    const { call, create } = await audiencePartner(service);
    const ids = [await create(), await create(), await create()];
    const { headers, body } = await call('GET', `${path}?limit=2`);
    expect(body.map(idOf)).toEqual(ids.slice(0, 2));
    expect(headers.get('link')).toBe(`<${path}?limit=2&after=${ids[1]}>; rel="next"`);
    const next = await call('GET', `${path}?limit=2&after=${ids[1]}`);
    expect(next.body.map(idOf)).toEqual(ids.slice(2));
    expect(next.headers.get('link')).toBeNull();
  });
});

function idOf(audience: { audience_id: number }): number {
  return audience.audience_id;
}

test('the files are listed with their status, in the order of their first load', async () => {
  const { beginLoad, call, create, prefix } = await audiencePartner(service);
  const audienceId = await create();
  const load = await beginLoad();
  await load.enter('b.csv', 'a.csv', 'c.csv');
  await load.end('a.csv', { rows: 12 });
  await load.end('b.csv', { outcome: 'failed', rows: 0 });
  const file = { status: 0, rows_uploaded: 0, updated_at: timestamp };
  const details = (await call('GET', `${audiencesPath}/${audienceId}`)).body;
  expect(details).toMatchObject({ status: 1, uploaded_devices: 12 });
  expect(details.file).toEqual([
    { ...file, s3_path: `${prefix}b.csv`, status: 3 },
    { ...file, s3_path: `${prefix}a.csv`, status: 2, rows_uploaded: 12 },
    { ...file, s3_path: `${prefix}c.csv` },
  ]);
  expect(Object.keys(details.file[0])).toEqual([
    's3_path',
    'status',
    'rows_uploaded',
    'updated_at',
  ]);
  await load.end('c.csv');
  await load.settle();
  expect((await call('GET', `${audiencesPath}/${audienceId}`)).body).toMatchObject({ status: 3 });
});

test('many files are sent page by page, complete and in order', async () => {
  const partner = await audiencePartner(service);
  const address = `${audiencesPath}/${await partner.create()}`;
  // Long names, because only a large answer is sent while it is read.
  const names = Array.from({ length: 2_345 }, (_, n) => `${n}-${'x'.repeat(500)}.csv`);
  await (await partner.beginLoad()).enter(...names);
  const { status, headers, body } = await partner.call('GET', address);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('content-length')).toBeNull();
  const paths = body.file.map(({ s3_path }: { s3_path: string }) => s3_path);
  expect(paths).toEqual(names.map((name) => `${partner.prefix}${name}`));
  const members = (await partner.call('GET', audiencesPath)).body[0];
  expect(Object.keys(body)).toEqual([...Object.keys(members), 'file']);
  expect(body).toMatchObject(members);
});

describe('the list', () => {
  test('is ascending, complete without a limit, and has only audiences of the partner', async () => {
    const { call, create } = await audiencePartner(service);
    const ids = [];
    for (let n = 0; n < 5; n++) {
      ids.push(await create());
      await acme.create();
    }
    const whole = await call('GET', audiencesPath);
    expect(whole.body.map(idOf)).toEqual(ids);
    expect(whole.headers.get('link')).toBeNull();
    expect((await call('GET', `${audiencesPath}?after=${ids[2]}`)).body.map(idOf)).toEqual(
      ids.slice(3),
    );
    const exact = await call('GET', `${audiencesPath}?limit=5&after=0`);
    expect(exact.body).toHaveLength(5);
    expect(exact.headers.get('link')).toBeNull();
    const beyond = `${audiencesPath}?limit=1000&after=${Number.MAX_SAFE_INTEGER}`;
    expect((await call('GET', beyond)).body).toEqual([]);
  });

  test('can be paged through by its links', async () => {
    const { call, create } = await audiencePartner(service);
    const ids = [];
    for (let n = 0; n < 7; n++) ids.push(await create());
    const walked = [];
    let path: string | undefined = `${audiencesPath}?limit=3`;
    while (path) {
      const { body, headers } = await call('GET', path);
      walked.push(body.map(idOf));
      path = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(walked).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  });

  test.each([
    ['limit=0', ['limit']],
    ['limit=1001', ['limit']],
    ['limit=-1', ['limit']],
    ['limit=1.5', ['limit']],
    ['limit=1e2', ['limit']],
    ['limit=010', ['limit']],
    ['limit=%2010', ['limit']],
    ['limit=', ['limit']],
    ['limit', ['limit']],
    ['limit=ten', ['limit']],
    ['limit=1&limit=2', ['limit']],
    ['after=-1', ['after']],
    ['after=x', ['after']],
    ['after=9007199254740992', ['after']],
    ['after=99999999999999999999999999', ['after']],
    ['page=2', ['page']],
    ['Limit=2', ['Limit']],
    ['__proto__=1', ['__proto__']],
    ['limit=0&after=x&offset=3', ['after', 'limit', 'offset']],
  ])('rejects %s and names the parameter', async (query, parameters) => {
    const answer = await acme.call('GET', `${audiencesPath}?${query}`);
    const problem = expectProblem(answer, 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(parameters);
    if (parameters[0] === 'page') expect(problem.detail).toBe('page is not a known parameter.');
  });
});

describe('an audience is created', () => {
  test.each([
    ['a.csv', 'a.csv'],
    ['/a.csv', 'a.csv'],
    ['acme/summer/', 'acme/summer/'],
    ['<prefix>a.csv', 'a.csv'],
    ['s3://tributary/<prefix>a.csv', 'a.csv'],
    ['partner-0/a.csv', 'partner-0/a.csv'],
  ])('from the files at %s', async (filePath, key) => {
    const { beginLoad, create, prefix } = await audiencePartner(service);
    await create({ file_path: filePath.replace('<prefix>', prefix) });
    expect((await beginLoad()).load.path).toBe(prefix + key);
  });

  test('and appended to with the same kinds of path', async () => {
    const { beginLoad, call, create, prefix } = await audiencePartner(service);
    const audienceId = await create();
    const json = { file_path: `s3://tributary/${prefix}more/` };
    await call('PATCH', `${audiencesPath}/${audienceId}`, { json });
    await (await beginLoad()).settle();
    expect((await beginLoad()).load).toMatchObject({ audienceId, path: `${prefix}more/` });
  });

  test.each([
    [{}, ['/file_path', '/name']],
    [{ name: 'x' }, ['/file_path']],
    [{ file_path: 'x' }, ['/name']],
    [{ name: '', file_path: 'x' }, ['/name']],
    [{ name: 'x'.repeat(256), file_path: 'x' }, ['/name']],
    [{ name: 'a\nb', file_path: 'x' }, ['/name']],
    [{ name: 7, file_path: 'x' }, ['/name']],
    [{ name: null, file_path: 'x' }, ['/name']],
    [{ name: 'x', file_path: 7 }, ['/file_path']],
    [{ name: 'x', file_path: ['a'] }, ['/file_path']],
    [{ name: 'x', file_path: '' }, ['/file_path']],
    [{ name: 'x', file_path: '/' }, ['/file_path']],
    [{ name: 'x', file_path: '../partner-2/a' }, ['/file_path']],
    [{ name: 'x', file_path: 'a/../../b' }, ['/file_path']],
    [{ name: 'x', file_path: 'a\0' }, ['/file_path']],
    [{ name: 'x', file_path: 's3://elsewhere/a' }, ['/file_path']],
    [{ name: 'x', file_path: 's3://tributary/partner-0/a' }, ['/file_path']],
    [{ name: 'x', file_path: 'x', files: [] }, ['/files']],
    [{ name: 'x', file_path: 'x', customer_id: 1, status: 2 }, ['/customer_id', '/status']],
    [[], ['']],
    ['x', ['']],
  ])('but not with %j', async (json, pointers) => {
    const { call } = await audiencePartner(service);
    const problem = expectProblem(
      await call('POST', audiencesPath, { json }),
      400,
      'invalid_input',
    );
    expect(pointersOf(problem)).toEqual(pointers);
    expect((await call('GET', audiencesPath)).body).toEqual([]);
  });

  test('but not from the prefix alone', async () => {
    for (const filePath of [acme.prefix, `/${acme.prefix}`, `s3://tributary/${acme.prefix}`]) {
      const answer = await acme.call('POST', audiencesPath, {
        json: { name: 'x', file_path: filePath },
      });
      expect(expectProblem(answer, 400, 'invalid_input').detail).toMatch(/is empty/);
    }
  });

  test('with a name of up to 255 characters, whatever their size in bytes', async () => {
    const name = '😀'.repeat(255);
    const audienceId = await acme.create({ name });
    expect((await acme.call('GET', `${audiencesPath}/${audienceId}`)).body.name).toBe(name);
  });
});

describe('appending is rejected with', () => {
  test.each([
    [{}, ['/file_path']],
    [{ file_path: 's3://elsewhere/x' }, ['/file_path']],
    [{ file_path: 'x', name: 'y' }, ['/name']],
    [{ file_path: false }, ['/file_path']],
  ])('%j', async (json, pointers) => {
    const audienceId = await acme.create();
    const answer = await acme.call('PATCH', `${audiencesPath}/${audienceId}`, { json });
    expect(pointersOf(expectProblem(answer, 400, 'invalid_input'))).toEqual(pointers);
  });

  test('a body of another content type', async () => {
    const audienceId = await acme.create();
    const answer = await acme.call('PATCH', `${audiencesPath}/${audienceId}`, {
      body: 'file_path=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expectProblem(answer, 415, 'unsupported_media_type');
  });
});

describe('a clear', () => {
  test.each([
    ['no body', {}],
    ['no body with a JSON content type', { headers: { 'content-type': 'application/json' } }],
    ['an empty object', { json: {} }],
    ['an empty object with spaces', { body: ' { }\n', headers: { 'content-type': 'text/plain' } }],
    ['an empty object without a content type', { body: new TextEncoder().encode('{}') }],
    [
      'an empty object with an invalid content type',
      { body: '{}', headers: { 'content-type': 'whatever' } },
    ],
    [
      'an empty object with a form content type',
      { body: '{}', headers: { 'content-type': 'multipart/form-data' } },
    ],
  ])('accepts %s', async (_, options) => {
    const { beginLoad, call, create } = await audiencePartner(service);
    const audienceId = await create();
    const load = await beginLoad();
    await load.enter('a.csv');
    await load.end('a.csv');
    const answer = await call('PUT', `${audiencesPath}/${audienceId}`, options);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await call('GET', `${audiencesPath}/${audienceId}`)).body).toMatchObject({
      status: 2,
      uploaded_devices: 0,
      file: [],
    });
    await expect(load.settle()).rejects.toThrow();
  });

  test.each([
    ['fields', '{"file_path":"x"}', 'invalid_input', ['/file_path']],
    ['an array', '[]', 'invalid_input', ['']],
    ['null', 'null', 'invalid_input', ['']],
    ['text', 'clear it', 'malformed_body', []],
    ['spaces', '  ', 'malformed_body', []],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'malformed_body', []],
  ] as const)('rejects %s with any content type', async (_, body, code, pointers) => {
    const audienceId = await acme.create();
    for (const type of ['application/json', 'text/plain', 'whatever']) {
      const answer = await acme.call('PUT', `${audiencesPath}/${audienceId}`, {
        body,
        headers: { 'content-type': type },
      });
      expect(pointersOf(expectProblem(answer, 400, code))).toEqual(pointers);
    }
    const { status } = (await acme.call('GET', `${audiencesPath}/${audienceId}`)).body;
    expect(status).toBe(0);
  });

  test('rejects more than 1 MiB', async () => {
    const audienceId = await acme.create();
    const body = ' '.repeat(1024 * 1024 + 1);
    const answer = await acme.call('PUT', `${audiencesPath}/${audienceId}`, { body });
    expectProblem(answer, 413, 'body_too_large');
  });
});

describe('an unknown audience and one of another partner or customer give the same 404', () => {
  const calls = [
    ['GET', '', undefined],
    ['PATCH', '', { file_path: 'x' }],
    ['PUT', '', undefined],
    ['GET', '/composition', undefined],
    ['GET', '/history', undefined],
    ['GET', '/errors', undefined],
    ['GET', '/rejects', undefined],
    ['GET', '/progress', undefined],
  ] as const;

  test.each(calls)('for %s %s', async (method, below, json) => {
    const stranger = await audiencePartner(service);
    const [mine, other] = [await acme.customerToken(), await acme.customerToken()];
    const own = { headers: { 'x-user-token': mine.userToken } };
    const ofCustomer = await acme.create({}, own);
    const ofNobody = await acme.create();
    const details = new Set<string>();
    const expectNone = async (id: string | number, headers: Record<string, string> = {}) => {
      const options = json === undefined ? { headers } : { headers, json };
      const answer = await acme.call(method, `${audiencesPath}/${id}${below}`, options);
      details.add(expectProblem(answer, 404, 'not_found').detail);
    };
    for (const id of ['0', '-1', '1.5', 'x', '%20', '01', '9007199254740993', '123456789']) {
      await expectNone(id);
    }
    await expectNone(await stranger.create());
    await expectNone(ofNobody, { 'x-user-token': mine.userToken });
    await expectNone(ofCustomer, { 'x-user-token': other.userToken });
    expect(details).toEqual(new Set(['No such audience.']));
    for (const headers of [own.headers, {}]) {
      const options = json === undefined ? { headers } : { headers, json };
      const answer = await acme.call(method, `${audiencesPath}/${ofCustomer}${below}`, options);
      expect(answer.body?.code).not.toBe('not_found');
    }
  });
});

describe('a user token', () => {
  test('limits a request to the audiences of its customer', async () => {
    const { call, create, customerToken } = await audiencePartner(service);
    const [one, other] = [await customerToken(), await customerToken()];
    const as = (userToken: string) => ({ headers: { 'x-user-token': userToken } });
    const ids = [
      await create(),
      await create({}, as(one.userToken)),
      await create({}, as(other.userToken)),
      await create({}, as(one.userToken)),
    ];
    const listed = async (options = {}) =>
      (await call('GET', audiencesPath, options)).body.map(idOf);
    expect(await listed()).toEqual(ids);
    expect(await listed(as(one.userToken))).toEqual([ids[1], ids[3]]);
    expect(await listed(as(other.userToken))).toEqual([ids[2]]);
    const page = await call('GET', `${audiencesPath}?limit=1`, as(one.userToken));
    expect(page.headers.get('link')).toContain(`after=${ids[1]}`);
  });

  test('that is invalid is rejected before anything else is checked', async () => {
    const stranger = await audiencePartner(service);
    const { userToken } = await stranger.customerToken();
    for (const token of [userToken, 'nonsense', '']) {
      const answer = await acme.call('POST', audiencesPath, {
        body: 'not even JSON',
        headers: { 'x-user-token': token, 'content-type': 'application/json' },
      });
      expectProblem(answer, 401, 'unauthenticated');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });
});
