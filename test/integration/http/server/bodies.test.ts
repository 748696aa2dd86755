import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import {
  expectProblem,
  openSocket,
  pointersOf,
  readAnswer,
  sendRaw,
} from '../../../support/http.ts';

let service: TestApp;
let apiKey: string;
beforeAll(async () => {
  service = await startTestApp();
  ({ apiKey } = await service.partner());
});
afterAll(() => service[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const mebibyte = 1024 * 1024;

function postImport(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = json,
) {
  return service.call('POST', '/v1/marketplace/import', { token: apiKey, body, headers });
}

function expectInvalid(answer: Answer, ...pointers: string[]): void {
  expect(pointersOf(expectProblem(answer, 400, 'invalid_input'))).toEqual(pointers);
}

const good = { file_path: 'devices.csv', key_type: 1 };

describe('a body that is not valid JSON in UTF-8 is malformed', () => {
  test.each([
    ['text', 'hello'],
    ['an incomplete object', '{"file_path": "x"'],
    ['a trailing comma', '{"file_path":"x","key_type":1,}'],
    ['single quotes', "{'file_path':'x','key_type':1}"],
    ['two values', '{} {}'],
    ['NaN', '{"file_path":"x","key_type":NaN}'],
    ['a raw line break in a string', '{"file_path":"a\nb","key_type":1}'],
    ['a form', 'file_path=x&key_type=1'],
    ['spaces', '   '],
    ['a __proto__ field', '{"file_path":"x","key_type":1,"__proto__":{"admin":true}}'],
    ['an escaped __proto__ field', '{"\\u005f_proto__":{},"file_path":"x","key_type":1}'],
    ['a nested __proto__ field', '{"a":[{"b":{"__proto__":1}}]}'],
    ['a constructor with a prototype', '{"constructor":{"prototype":{"x":1}}}'],
  ])('%s', async (_, body) => {
    expectProblem(await postImport(body), 400, 'malformed_body');
  });

  test('an empty body', async () => {
    expectProblem(await postImport(''), 400, 'malformed_body');
    const silent = await service.call('POST', '/v1/marketplace/import', { token: apiKey });
    expectInvalid(silent, '');
  });

  test('invalid UTF-8 anywhere in the body', async () => {
    const start = Buffer.from('{"file_path":"a');
    const end = Buffer.from('.csv","key_type":1}');
    const broken = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]];
    for (const bytes of broken) {
      const answer = await postImport(Buffer.concat([start, Buffer.from(bytes), end]));
      expect(expectProblem(answer, 400, 'malformed_body').detail).toMatch(/UTF-8/);
      const whole = await postImport(Buffer.concat([start, Buffer.from('ü😀'), end]));
      expect(whole.status).toBe(202);
    }
  });

  test('the connection can be used again afterwards', async () => {
    const request =
      `POST /v1/marketplace/import HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
      'content-type: application/json\r\ncontent-length: 1\r\n\r\n{';
    const socket = await openSocket(service.url);
    for (let round = 0; round < 3; round++) {
      socket.write(request);
      expectProblem(await readAnswer(socket), 400, 'malformed_body');
    }
    socket.destroy();
  });
});

describe('no value is converted to another type', () => {
  test.each([
    ['an array', '[]'],
    ['an array with a valid object', JSON.stringify([good])],
    ['null', 'null'],
    ['a string', '"devices.csv"'],
    ['a number', '1'],
    ['true', 'true'],
  ])('instead of an object: %s', async (_, body) => {
    expectInvalid(await postImport(body), '');
  });

  test.each([
    '"1"',
    '"0"',
    'true',
    'null',
    '1.5',
    '-1',
    '2',
    '1e400',
    '-1e400',
    '[1]',
    '{}',
    '9007199254740993',
  ])('key_type %s', async (value) => {
    const answer = await postImport(`{"file_path":"x","key_type":${value}}`);
    expectInvalid(answer, '/key_type');
    expect(answer.body.errors[0].message).toBe('must be one of 0, 1');
  });

  test.each(['1', '0.5', 'true', 'null', '["x"]', '{}', '1e400'])('file_path %s', async (value) => {
    const answer = await postImport(`{"file_path":${value},"key_type":1}`);
    expectInvalid(answer, '/file_path');
  });

  test.each(['"0"', '2', 'null', 'false'])('path_type %s', async (value) => {
    const answer = await postImport(`{"file_path":"x","key_type":1,"path_type":${value}}`);
    expectInvalid(answer, '/path_type');
  });

  test.each([
    ['compressed', '"true"', '1', 'null', '"gzip"'],
    ['dry_run', '"true"', '1', 'null'],
    ['mode', '"MERGE"', '"append"', '0', 'null', '""', '["merge"]'],
  ])('%s', async (field, ...values) => {
    for (const value of values) {
      const answer = await postImport(`{"file_path":"x","key_type":1,"${field}":${value}}`);
      expectInvalid(answer, `/${field}`);
    }
  });

  test.each(['name', 'description', 'partner_foreign_key'])('%s of an attribute', async (field) => {
    for (const value of [1, true, null, ['x'], {}]) {
      const answer = await service.call('POST', '/v1/marketplace/attribute', {
        token: apiKey,
        json: { name: 'a', description: 'b', partner_foreign_key: 'c', [field]: value },
      });
      expectInvalid(answer, `/${field}`);
    }
  });

  test('a number in any JSON notation is accepted', async () => {
    for (const value of ['1.0', '10e-1', '-0', '0']) {
      const answer = await postImport(`{"file_path":"x","key_type":${value}}`);
      expect(answer.status).toBe(202);
    }
  });
});

describe('a problem names', () => {
  test('every missing field', async () => {
    expectInvalid(await postImport('{}'), '/file_path', '/key_type');
  });

  test('every unknown field, with its name escaped as a pointer', async () => {
    const body = JSON.stringify({ ...good, comprest: true, 'a/b~c': 1, '': 2 });
    const answer = await postImport(body);
    expectInvalid(answer, '/', '/a~1b~0c', '/comprest');
    expect(answer.body.detail).toContain('comprest is not a known field.');
  });

  test('a field with the name of an inherited property', async () => {
    const names = ['constructor', 'hasOwnProperty', 'toString'];
    const body = JSON.stringify({ ...good, ...Object.fromEntries(names.map((name) => [name, 1])) });
    expectInvalid(await postImport(body), ...names.map((name) => `/${name}`).sort());
  });

  test('several issues of different kinds', async () => {
    const answer = await postImport('{"file_path":7,"path_type":"0","more":1}');
    expectInvalid(answer, '/file_path', '/key_type', '/more', '/path_type');
  });

  test('a limited number of issues, so the response stays small', async () => {
    const names = Array.from({ length: 60_000 }, (_, number) => `f${number}`);
    const many = await postImport(JSON.stringify(Object.fromEntries(names.map((n) => [n, 1]))));
    const problem = expectProblem(many, 400, 'invalid_input');
    expect(problem.errors).toHaveLength(50);
    expect(problem.detail).toMatch(/ And 59952 more\.$/);
    expect(many.text.length).toBeLessThan(10_000);

    const long = await postImport(JSON.stringify({ ...good, ['😀'.repeat(100_000)]: 1 }));
    expectProblem(long, 400, 'invalid_input');
    expect(long.text.length).toBeLessThan(5_000);
  });
});

describe('the size of a body', () => {
  const padded = (bytes: number) => JSON.stringify(good).padEnd(bytes);

  test('may be at most 1 MiB', async () => {
    expect((await postImport(padded(mebibyte))).status).toBe(202);
    expectProblem(await postImport(padded(mebibyte + 1)), 413, 'body_too_large');
  });

  test('is limited without a content length', async () => {
    const send = (bytes: number) =>
      sendRaw(
        service.url,
        `POST /v1/marketplace/import HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n`,
        'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
        `${bytes.toString(16)}\r\n${padded(bytes)}\r\n0\r\n\r\n`,
      );
    expect((await send(mebibyte)).status).toBe(202);
    expectProblem(await send(mebibyte + 1), 413, 'body_too_large');
  });

  test.each([
    ['with a content length', `content-length: ${12 * mebibyte}\r\n\r\n`],
    [
      'without a content length',
      `transfer-encoding: chunked\r\n\r\n${(12 * mebibyte).toString(16)}\r\n`,
    ],
  ])(
    'beyond the limit, %s: a client that sends everything before it reads gets the response',
    async (_, how) => {
      const socket = await openSocket(service.url);
      socket.write(
        `POST /v1/marketplace/import HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
          `content-type: application/json\r\n${how}`,
      );
      const failure = await new Promise((sent) => socket.write(padded(12 * mebibyte), sent));
      expect(failure).toBeFalsy();
      expectProblem(await readAnswer(socket), 413, 'body_too_large');
      socket.destroy();
    },
  );

  test('does not matter for deeply nested brackets', async () => {
    const depth = 400_000;
    const nested = `{"file_path":${'['.repeat(depth)}${']'.repeat(depth)},"key_type":1}`;
    expectInvalid(await postImport(nested), '/file_path');
    expectInvalid(await postImport(`${'['.repeat(depth)}${']'.repeat(depth)}`), '');
    expectProblem(await postImport('{"a":'.repeat(100_000)), 400, 'malformed_body');
  });
});

describe('the content type of a body', () => {
  test.each([
    'text/plain',
    'text/csv',
    'text/json',
    'application/jsonp',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'json',
    'application/',
    ';charset=utf-8',
    '*/*',
  ])('may not be %s', async (type) => {
    const answer = await postImport(JSON.stringify(good), { 'content-type': type });
    expectProblem(answer, 415, 'unsupported_media_type');
  });

  test('may not be left out', async () => {
    const body = new TextEncoder().encode(JSON.stringify(good));
    expectProblem(await postImport(body, {}), 415, 'unsupported_media_type');
  });

  test('may be any spelling of JSON', async () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
    ]) {
      const answer = await postImport(JSON.stringify(good), { 'content-type': type });
      expect(answer.status).toBe(202);
    }
  });
});
