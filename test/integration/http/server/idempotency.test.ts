import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, openSocket, pointersOf, readAnswer } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const importPath = '/v1/marketplace/import';
const attributePath = '/v1/marketplace/attribute';
const request = { file_path: 'devices.csv', key_type: 1 };

async function freshPartner() {
  const { partner, apiKey: token } = await service.partner();
  const send = (method: string, path: string, key: string | undefined, json?: unknown) =>
    service.call(method, path, {
      token,
      ...(json === undefined ? {} : { json }),
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  return {
    partnerId: partner.partnerId,
    token,
    send,
    logs: async () => (await send('GET', importPath, undefined)).body,
    attributes: async () => (await send('GET', attributePath, undefined)).body,
    attribute: (partnerForeignKey: string | null = null) =>
      service.records.attributes.create(partner.partnerId, {
        name: 'a',
        description: '',
        partnerForeignKey,
      }),
  };
}

describe('a request with an idempotency key', () => {
  test('is executed once, and a repetition gets the first response', async () => {
    const { send, logs } = await freshPartner();
    const first = await send('POST', importPath, 'once', request);
    const again = await send('POST', importPath, 'once', request);
    expect(first.status).toBe(202);
    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await logs()).toHaveLength(1);
  });

  test('is executed each time without a key', async () => {
    const { send, logs } = await freshPartner();
    for (let n = 0; n < 2; n++) await send('POST', importPath, undefined, request);
    expect(await logs()).toHaveLength(2);
  });

  test('may be repeated with differently formatted JSON', async () => {
    const { token, logs } = await freshPartner();
    const bodies = [
      '{"file_path":"a","key_type":1,"credentials":{"accessKeyId":"A","secretAccessKey":"B","region":"us-east-1"},"path_type":1}',
      '{ "path_type": 1.0, "key_type": 10e-1, "file_path": "\\u0061",\n"credentials": {"region":"us-east-1","secretAccessKey":"B","accessKeyId":"A"} }',
    ].map((body) => body.replace(/"(a|\\u0061)"/, '"s3://bucket/$1"'));
    const statuses = [];
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'same' };
      statuses.push((await service.call('POST', importPath, { token, body, headers })).status);
    }
    expect(statuses).toEqual([202, 202]);
    expect(await logs()).toHaveLength(1);
  });

  test('is rejected with a different body', async () => {
    const { send, logs } = await freshPartner();
    await send('POST', importPath, 'k', request);
    const others = [
      { ...request, key_type: 0 },
      { ...request, path_type: 0 },
      { ...request, file_path: 'other.csv' },
    ];
    for (const other of others) {
      const answer = await send('POST', importPath, 'k', other);
      expectProblem(answer, 422, 'idempotency_key_reused');
    }
    expect(await logs()).toHaveLength(1);
  });

  test('is rejected while the first request is in progress', async () => {
    const { partnerId, send, logs } = await freshPartner();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    // Simulates a first request with a slow transaction.
    const first = service.records.inTransaction(async ({ idempotency }) => {
      await idempotency.begin(partnerId, `POST ${importPath}`, 'slow', 'a hash');
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const answer = await send('POST', importPath, 'slow', request);
    expectProblem(answer, 409, 'idempotency_key_in_use');
    expect((await send('POST', importPath, 'another', request)).status).toBe(202);
    held.resolve();
    await first;
    expect((await send('POST', importPath, 'slow', request)).status).toBe(202);
    expect(await logs()).toHaveLength(2);
  });

  test('is executed once when sent many times concurrently', async () => {
    const { send, logs } = await freshPartner();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', importPath, 'rush', request)),
    );
    const answered = answers.filter(({ status }) => status === 202);
    expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers) {
      if (answer.status !== 202) expectProblem(answer, 409, 'idempotency_key_in_use');
    }
    expect(await logs()).toHaveLength(1);
  });

  test('is executed if it failed the first time', async () => {
    const { send, attribute, attributes } = await freshPartner();
    const taken = { name: 'b', description: '', partner_foreign_key: 'k' };
    const attributeId = await attribute('k');
    expectProblem(await send('POST', attributePath, 'x', taken), 409, 'foreign_key_taken');
    expectProblem(await send('POST', attributePath, 'x', { name: 1 }), 400, 'invalid_input');
    await send('PATCH', `${attributePath}/${attributeId}`, undefined, {
      partner_foreign_key: null,
    });
    expect((await send('POST', attributePath, 'x', taken)).status).toBe(201);
    expect(await attributes()).toHaveLength(2);
  });

  test('is executed again a day later', async () => {
    const { send, logs } = await freshPartner();
    await send('POST', importPath, 'daily', request);
    await service.database.db
      .updateTable('idempotency_key')
      .set({ created_at: new Date(Date.now() - 25 * 60 * 60 * 1000) })
      .execute();
    await service.records.idempotency.prune(24);
    await send('POST', importPath, 'daily', request);
    expect(await logs()).toHaveLength(2);
  });
});

describe('the same key is a different one', () => {
  test('for another partner', async () => {
    const [one, other] = [await freshPartner(), await freshPartner()];
    await one.send('POST', importPath, 'k', request);
    await other.send('POST', importPath, 'k', { ...request, key_type: 0 });
    expect(await other.logs()).toHaveLength(1);
  });

  test('for another route, method or record', async () => {
    const { send, attribute, logs } = await freshPartner();
    const ids = [await attribute('a'), await attribute('b')];
    const changes = { description: 'changed' };
    const calls = [
      ['POST', importPath, request, 202],
      ['DELETE', importPath, { key_type: 1, keys: ['a'] }, 202],
      ['POST', attributePath, { name: 'c', description: '' }, 201],
      ['PATCH', `${attributePath}/${ids[0]}`, changes, 200],
      ['PATCH', `${attributePath}/${ids[1]}`, changes, 200],
      ['DELETE', `${attributePath}/${ids[0]}`, undefined, 202],
      ['DELETE', `${attributePath}/${ids[1]}`, undefined, 202],
    ] as const;
    const answers = [];
    for (let round = 0; round < 2; round++) {
      const texts = [];
      for (const [method, path, json, status] of calls) {
        const answer = await send(method, path, 'everywhere', json);
        expect([method, path, answer.status]).toEqual([method, path, status]);
        texts.push(answer.text);
      }
      answers.push(texts);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(new Set(answers[0]).size).toBe(calls.length);
    expect(await logs()).toHaveLength(4);
  });
});

describe('an invalid key', () => {
  test.each([
    ['too long', 'k'.repeat(256)],
    ['with a tab', 'a\tb'],
    ['with a non-ASCII letter', 'schlüssel'],
  ])('is rejected: %s', async (_, key) => {
    const { token, logs } = await freshPartner();
    const body = JSON.stringify(request);
    const socket = await openSocket(service.url);
    socket.write(
      Buffer.from(
        `POST ${importPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\nidempotency-key: ${key}\r\n\r\n${body}`,
        'latin1',
      ),
    );
    const problem = expectProblem(await readAnswer(socket), 400, 'invalid_input');
    socket.destroy();
    expect(pointersOf(problem)).toEqual(['idempotency-key']);
    expect(problem.detail).toMatch(/^idempotency-key /);
    expect(await logs()).toEqual([]);
  });

  test('is rejected: empty', async () => {
    const { send } = await freshPartner();
    expectProblem(await send('POST', importPath, '', request), 400, 'invalid_input');
  });

  test('does not include one with spaces and punctuation', async () => {
    const { send, logs } = await freshPartner();
    for (const key of [
      'a b',
      '"quoted"',
      '~!@#$%^&*()',
      "'; drop table job; --",
      'k'.repeat(255),
    ]) {
      const answers = [
        await send('POST', importPath, key, request),
        await send('POST', importPath, key, request),
      ];
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    }
    expect(await logs()).toHaveLength(5);
  });
});

test('a taxonomy is compared as text', async () => {
  const { token, attributes } = await freshPartner();
  const send = (body: string) =>
    service.call('POST', attributePath, {
      token,
      body,
      headers: { 'content-type': 'text/csv', 'idempotency-key': 'taxonomy' },
    });
  const text = 'name,description,partnerkey\na,,k\n';
  const [first, again] = [await send(text), await send(text)];
  expect(first.status).toBe(201);
  expect(again.text).toBe(first.text);
  expectProblem(await send(`${text}b,,\n`), 422, 'idempotency_key_reused');
  expect(await attributes()).toHaveLength(1);
});
