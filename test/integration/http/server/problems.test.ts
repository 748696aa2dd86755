import { METHODS } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemKinds } from '../../../../src/http/server/problems.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, sendRaw } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

test('an unknown path is not found, and the problem does not repeat the query', async () => {
  for (const path of ['/', '/v1', '/V1/marketplace/import', '/v1//marketplace/import', '/docs/x']) {
    const answer = await service.call('GET', `${path}?token=abc`);
    const { detail } = expectProblem(answer, 404, 'not_found');
    expect(detail).toBe(`No route for ${path}.`);
  }
});

describe('an unsupported method is rejected, and Allow lists the supported ones', () => {
  const paths = {
    '/v1/marketplace/import': 'DELETE, GET, HEAD, OPTIONS, POST',
    '/v1/marketplace/import/1': 'GET, HEAD, OPTIONS',
    '/v1/marketplace/import/1/files': 'GET, HEAD, OPTIONS',
    '/v1/marketplace/import/1/rejects': 'GET, HEAD, OPTIONS',
    '/v1/marketplace/import/1/progress': 'GET, HEAD, OPTIONS',
    '/v1/marketplace/attribute': 'GET, HEAD, OPTIONS, POST',
    '/v1/marketplace/attribute/1': 'DELETE, GET, HEAD, OPTIONS, PATCH',
    '/admin/v1/partners': 'GET, HEAD, OPTIONS, POST',
    '/admin/v1/partners/1/api-keys': 'GET, HEAD, OPTIONS, POST',
    '/admin/v1/partners/1/api-keys/1': 'DELETE, OPTIONS',
    '/admin/v1/partners/1/objects/some/key.csv': 'OPTIONS, PUT',
    '/admin/v1/status': 'GET, HEAD, OPTIONS',
    '/admin/v1/audit': 'GET, HEAD, OPTIONS',
    '/healthz': 'GET, HEAD, OPTIONS',
    '/readyz': 'GET, HEAD, OPTIONS',
    '/openapi.json': 'GET, HEAD, OPTIONS',
    '/docs': 'GET, HEAD, OPTIONS',
    '/docs/postman.json': 'GET, HEAD, OPTIONS',
    '/docs/reference.css': 'GET, HEAD, OPTIONS',
    '/docs/reference.js': 'GET, HEAD, OPTIONS',
  };

  test.each(Object.entries(paths))('%s: %s', async (path, allow) => {
    // CONNECT opens a tunnel and never becomes a request. HEAD has no body to check.
    const others = METHODS.filter(
      (method) => !allow.split(', ').includes(method) && method !== 'CONNECT' && method !== 'HEAD',
    );
    expect(others.length).toBeGreaterThan(20);
    for (const method of others) {
      const answer = await sendRaw(service.url, `${method} ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const problem = expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe(allow);
      expect(problem.detail).toBe(`${method} is not allowed here. Allowed methods: ${allow}.`);
    }
  });

  test('with any body', async () => {
    const answer = await service.call('PUT', '/v1/marketplace/import', {
      body: '{"broken',
      headers: { 'content-type': 'application/json' },
    });
    expectProblem(answer, 405, 'method_not_allowed');
  });
});

test('OPTIONS lists the methods of a path, without authentication and with any body', async () => {
  const json = { 'content-type': 'application/json' };
  for (const options of [{}, { body: '{"broken', headers: json }]) {
    const answer = await service.call('OPTIONS', '/v1/marketplace/attribute/1', options);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH');
    expect(answer.headers.get('content-type')).toBe(null);
  }
  expectProblem(await service.call('OPTIONS', '/nothing'), 404, 'not_found');
});

test('HEAD responds like GET, without the body', async () => {
  const { apiKey: token } = await service.partner();
  for (const path of ['/healthz', '/docs', '/v1/marketplace/import', '/v1/marketplace/import/77']) {
    const [head, get] = [
      await service.call('HEAD', path, { token, headers: { 'x-request-id': 'same' } }),
      await service.call('GET', path, { token, headers: { 'x-request-id': 'same' } }),
    ];
    expect(head.status).toBe(get.status);
    expect(head.text).toBe('');
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  }
});

describe('the request id', () => {
  const idFor = async (id: string, path = '/healthz') =>
    (await service.call('GET', path, { headers: { 'x-request-id': id } })).headers.get(
      'x-request-id',
    );

  test('of the client is kept if it is safe in a header and a log line', async () => {
    for (const id of ['a', 'trace-42.b_7', '0'.repeat(128)]) expect(await idFor(id)).toBe(id);
  });

  test('is generated if the client sent none or an invalid one', async () => {
    const ours = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const id of ['', '0'.repeat(129), 'with blanks', '{"json":1}', '<b>', 'ümlaut', 'a,b']) {
      expect(await idFor(id)).toMatch(ours);
    }
    const twice = await sendRaw(
      service.url,
      'GET /healthz HTTP/1.1\r\nhost: x\r\nx-request-id: one\r\nx-request-id: two\r\n\r\n',
    );
    expect(twice.headers.get('x-request-id')).toMatch(ours);
  });

  test('is in every problem', async () => {
    const headers = { 'x-request-id': 'my-own-id' };
    const answers = [
      await service.call('GET', '/nothing', { headers }),
      await service.call('PATCH', '/healthz', { headers }),
      await service.call('GET', '/v1/marketplace/import', { headers }),
      await service.call('GET', '/v1/marketplace/import/%zz', { headers }),
    ];
    for (const answer of answers) expect(answer.body.request_id).toBe('my-own-id');
    expect(answers.map((answer) => answer.status)).toEqual([404, 405, 401, 400]);
  });
});

test('every response forbids content type sniffing', async () => {
  for (const path of ['/healthz', '/docs', '/nothing', '/%zz', '/admin/v1/status']) {
    const answer = await service.call('GET', path);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('the type of every problem links to its description', async () => {
  const page = (await service.call('GET', '/docs')).text;
  for (const code of Object.keys(problemKinds)) expect(page).toContain(`id="problem-${code}"`);
});
