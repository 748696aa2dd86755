import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudience } from '../../../../src/actions/create-audience.ts';
import { problemKinds } from '../../../../src/http/server/problems.ts';
import { type Answer, type CallOptions, startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, sendRaw } from '../../../support/http.ts';

/**
 * Every request gets a success or a client error, never a 500 and never no response. A failure
 * prints its seed. TRIBUTARY_SOAK=1 runs many more.
 */
const options = { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 1_500 : 60 };

let service: TestApp;
let apiKey: string;
let partnerId: number;
let attributeId: number;
let audienceId: number;
beforeAll(async () => {
  service = await startTestApp();
  const made = await service.partner();
  apiKey = made.apiKey;
  partnerId = made.partner.partnerId;
  const attribute = { name: 'a', description: '', partnerForeignKey: 'k' };
  attributeId = await service.records.attributes.create(partnerId, attribute);
  const scope = { partnerId, customerId: null };
  // More than the rows of a list that is sent in one piece.
  for (let n = 0; n <= 100; n++) {
    ({ audienceId } = await createAudience(service.records, scope, 'a', `${made.partner.prefix}a`));
  }
});
afterAll(() => service[Symbol.asyncDispose]());

function expectWellBehaved(answer: Answer): void {
  expect(answer.status).toBeLessThan(500);
  if (answer.status < 400) return;
  expect(Object.keys(problemKinds)).toContain(answer.body?.code);
  expectProblem(answer, answer.status, answer.body.code);
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '/',
    '..',
    '\0',
    '\ud800',
    '|',
    ' ',
    's3://',
    'x'.repeat(2_000),
    '😀'.repeat(256),
  ),
);
const anyJson = fc.oneof(
  anyText,
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.constantFrom<unknown>(0, 1, -1, 1.5, 1e308, true, null, [], {}),
);
const fieldNames = ['file_path', 'key_type', 'path_type', 'keys', 'name', 'description'];
const moreNames = [
  'compressed',
  'mode',
  'dry_run',
  'partner_foreign_key',
  'label',
  '__proto__',
  'constructor',
  'toString',
  '',
];

/** Objects whose fields are often known, with values that are sometimes valid. */
const anyObject = fc
  .dictionary(fc.oneof(fc.constantFrom(...fieldNames, ...moreNames), anyText), anyJson, {
    maxKeys: 6,
  })
  .map((fields) => JSON.stringify(fields));

const anyBody = fc.oneof(
  { weight: 5, arbitrary: anyObject },
  { weight: 2, arbitrary: fc.json({ stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const anyType = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=x', 'x', ';') },
);

const writes = fc.constantFrom(
  ['POST', '/v1/marketplace/import'],
  ['DELETE', '/v1/marketplace/import'],
  ['POST', '/v1/marketplace/attribute'],
  ['PATCH', '/v1/marketplace/attribute/ATTRIBUTE'],
  ['DELETE', '/v1/marketplace/attribute/ATTRIBUTE'],
  ['POST', '/v2/firstparty/audience'],
  ['PATCH', '/v2/firstparty/audience/AUDIENCE'],
  ['PUT', '/v2/firstparty/audience/AUDIENCE'],
  ['POST', '/admin/v1/partners'],
  ['POST', '/admin/v1/partners/PARTNER/api-keys'],
);

/** Calls with valid credentials, so that the generated input is processed as far as possible. */
async function expectWellBehavedCall(method: string, path: string, rest: CallOptions = {}) {
  const token = path.startsWith('/admin') ? service.adminToken : apiKey;
  const real = path
    .replace('PARTNER', String(partnerId))
    .replace('ATTRIBUTE', String(attributeId))
    .replace('AUDIENCE', String(audienceId));
  expectWellBehaved(await service.call(method, real, { token, ...rest }));
}

test('generated bodies to every write', async () => {
  const property = fc.asyncProperty(
    writes,
    anyBody,
    anyType,
    async ([method = '', path = ''], text, type) => {
      const body = new TextEncoder().encode(text);
      await expectWellBehavedCall(method, path, { body, headers: { 'content-type': type } });
    },
  );
  await fc.assert(property, options);
});

test('almost valid bodies', async () => {
  const nearly = fc.oneof(
    fc.record(
      { name: anyJson, description: anyJson, partner_foreign_key: anyJson },
      { requiredKeys: ['name'] },
    ),
    fc.record({ file_path: anyJson, key_type: fc.constantFrom(0, 1) }),
    fc.record({ file_path: anyJson, name: anyJson }, { requiredKeys: ['file_path'] }),
  );
  const property = fc.asyncProperty(nearly, async (json) => {
    const paths = [
      '/v1/marketplace/import',
      '/v1/marketplace/attribute',
      '/v2/firstparty/audience',
    ];
    for (const path of paths) await expectWellBehavedCall('POST', path, { json });
    await expectWellBehavedCall('PATCH', '/v1/marketplace/attribute/ATTRIBUTE', { json });
    await expectWellBehavedCall('PATCH', '/v2/firstparty/audience/AUDIENCE', { json });
  });
  await fc.assert(property, options);
});

test('almost valid deletions', async () => {
  const keys = fc.array(fc.oneof(anyText, fc.constantFrom('k', '__proto__', '1', '01', '1e0')));
  const nearly = fc.record({ key_type: fc.constantFrom(0, 1), keys });
  const property = fc.asyncProperty(nearly, async (json) => {
    await expectWellBehavedCall('DELETE', '/v1/marketplace/import', { json });
  });
  await fc.assert(property, options);
});

test('almost valid taxonomies', async () => {
  const cells = fc.array(fc.oneof(anyText, fc.constantFrom('a', '"b, c"', '"', '"d"e')), {
    minLength: 2,
    maxLength: 4,
  });
  const lines = fc.array(cells.map((row) => row.join(',')));
  const property = fc.asyncProperty(lines, async (rows) => {
    const text = ['name,description,partnerkey', ...rows].join('\n');
    await expectWellBehavedCall('POST', '/v1/marketplace/attribute', {
      body: new TextEncoder().encode(text),
      headers: { 'content-type': 'text/csv' },
    });
  });
  await fc.assert(property, options);
});

test('generated queries, escaped', async () => {
  const names = fc.oneof(fc.constantFrom('limit', 'after', '__proto__', 'constructor'), anyText);
  const values = fc.oneof(fc.integer().map(String), anyText);
  const query = fc.array(fc.tuple(names, values), { maxLength: 4 });
  const property = fc.asyncProperty(query, async (parameters) => {
    const text = new URLSearchParams();
    for (const [name, value] of parameters) text.append(name.toWellFormed(), value.toWellFormed());
    await expectWellBehavedCall('GET', `/v2/firstparty/audience?${text}`);
  });
  await fc.assert(property, options);
});

test('generated idempotency keys', async () => {
  const byte = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code));
  const property = fc.asyncProperty(fc.string({ unit: byte, maxLength: 300 }), async (key) => {
    const body = '{"name":"a","description":""}';
    const text =
      `POST /v1/marketplace/attribute HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nidempotency-key: ${key}\r\n\r\n${body}`;
    expectWellBehaved(await sendRaw(service.url, Buffer.from(text, 'latin1')));
  });
  await fc.assert(property, options);
});

test('generated bytes as a body', async () => {
  const property = fc.asyncProperty(
    writes,
    fc.uint8Array({ maxLength: 100 }),
    async ([method = '', path = ''], bytes) => {
      await expectWellBehavedCall(method, path, {
        body: Uint8Array.from(bytes),
        headers: { 'content-type': 'application/json' },
      });
    },
  );
  await fc.assert(property, options);
});

test('generated ids and keys, escaped', async () => {
  const calls = fc.constantFrom(
    ['GET', '/v1/marketplace/import/'],
    ['GET', '/v1/marketplace/attribute/'],
    ['DELETE', '/v1/marketplace/attribute/'],
    ['GET', '/v2/firstparty/audience/'],
    ['GET', '/v1/firstparty/audience/AUDIENCE/'],
    ['DELETE', '/admin/v1/partners/PARTNER/api-keys/'],
    ['PUT', '/admin/v1/partners/PARTNER/objects/'],
  );
  const property = fc.asyncProperty(calls, anyText, async ([method = '', path], text) => {
    const escaped = encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');
    const body = method === 'PUT' ? { body: text } : {};
    await expectWellBehavedCall(method, path + escaped, body);
  });
  await fc.assert(property, options);
});

/** Escaped texts that a database or a parser may refuse. */
const hostile = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%FF',
  '%',
  '-1',
  '99999999999999999999',
  'x'.repeat(10_000),
];

test('every parameter of every operation, with texts that a database may refuse', async () => {
  const { paths } = (await service.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  expect(operations.length).toBeGreaterThan(50);
  for (const { path, method, operation } of operations) {
    for (const { name, in: place } of operation.parameters ?? []) {
      const calls = hostile.map((text) => {
        const real = (at: string) =>
          at === 'partner_id' ? partnerId : at === 'audience_id' ? audienceId : 1;
        const filled = path.replaceAll(/\{(\w+|\*)\}/g, (_, at: string) =>
          place === 'path' && at === name ? text : String(real(at)),
        );
        const query = place === 'query' ? `?${name}=${text}` : '';
        const headers = place === 'header' ? { [name]: text } : {};
        const body = method === 'get' || method === 'head' ? {} : { json: {} };
        return expectWellBehavedCall(method.toUpperCase(), filled + query, { headers, ...body });
      });
      await Promise.all(calls);
    }
  }
});

test('every parameter of the authorization server, with texts that a database may refuse', async () => {
  const expectNoFailure = async (method: string, path: string, rest: CallOptions = {}) => {
    const { status, text } = await service.call(method, path, rest);
    expect(status, text).toBeLessThan(500);
  };
  const names = ['client_id', 'redirect_uri', 'state', 'scope', 'code', 'code_challenge', 'prompt'];
  const fields = ['client_id', 'client_secret', 'code', 'refresh_token', 'token', 'code_verifier'];
  const grants = ['grant_type=authorization_code', 'grant_type=refresh_token'];
  for (const text of hostile) {
    await expectNoFailure('GET', `/oauth/authorize/${text}`);
    for (const name of names) await expectNoFailure('GET', `/oauth/authorize?${name}=${text}`);
    for (const name of fields) {
      for (const path of ['token', 'revoke', 'introspect']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const body = `${name}=${text}&${grants[text.length % 2]}`;
        await expectNoFailure('POST', `/oauth/${path}`, { headers, body });
      }
    }
    const token = {
      'x-user-token': text,
      'idempotency-key': text,
      authorization: `Bearer ${text}`,
    };
    for (const [name, value] of Object.entries(token)) {
      const headers = { authorization: `Bearer ${apiKey}`, [name]: value };
      await expectNoFailure('GET', '/v2/firstparty/audience', { headers });
    }
  }
});

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

test('generated paths and headers, not escaped', async () => {
  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
    maxLength: 60,
  });
  const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'SEARCH');
  const starts = fc.constantFrom(
    '/',
    '/v1/marketplace/import/',
    '/v1/marketplace/attribute/',
    '/v2/firstparty/audience/',
    '/v2/firstparty/audience?',
    '/admin/v1/partners/',
    '/admin/v1/partners/1/objects/',
    '/docs/',
    '/%',
  );
  const property = fc.asyncProperty(
    methods,
    starts,
    visible,
    visible,
    async (method, start, rest, header) => {
      const token = start.startsWith('/admin') ? service.adminToken : apiKey;
      const text =
        `${method} ${start}${rest} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        `x-request-id: ${header}\r\nx-forwarded-for: ${header}\r\nx-any: ${header}\r\n\r\n`;
      expectWellBehaved(await sendRaw(service.url, Buffer.from(text, 'latin1')));
    },
  );
  const examples: [string, string, string, string][] = [
    ['GET', '/v2/firstparty/audience?', '', ''],
  ];
  await fc.assert(property, { ...options, examples });
});

test('generated bytes instead of HTTP', async () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 });
  const property = fc.asyncProperty(bytes, async (noise) => {
    const answer = await sendRaw(service.url, 'GET /', noise, ' HTTP/1.1\r\nhost: x\r\n\r\n');
    expectWellBehaved(answer);
  });
  await fc.assert(property, options);
});

test('none of these requests logs an error or a warning', () => {
  const faults = service.logged.filter((line) => /"level":"(error|warn)"/.test(line));
  expect(faults).toEqual([]);
});
