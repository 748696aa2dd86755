import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/marketplace/attribute';
const header = 'name,description,partnerkey\n';

async function freshPartner() {
  const { apiKey: token } = await service.partner();
  return {
    post: (body: string | Uint8Array<ArrayBuffer>, type = 'text/csv') =>
      service.call('POST', path, { token, body, headers: { 'content-type': type } }),
    postJson: (json: unknown) => service.call('POST', path, { token, json }),
    list: async () => (await service.call('GET', path, { token })).body,
  };
}

test('a taxonomy is created in the order of its lines', async () => {
  const { post, list } = await freshPartner();
  const answer = await post(
    `${header}Autos,,autos\r\n"Autos > Intenders, new","Says ""soon""",autos-new\n\n  Travel  , two words ,\n`,
  );
  expect(answer.status).toBe(201);
  expect(answer.headers.get('location')).toBe(path);
  const records = await list();
  expect(answer.body).toEqual({
    attribute_ids: records.map((record: { attribute_id: number }) => record.attribute_id),
  });
  expect(records).toMatchObject([
    { name: 'Autos', description: '', partner_foreign_key: 'autos' },
    {
      name: 'Autos > Intenders, new',
      description: 'Says "soon"',
      partner_foreign_key: 'autos-new',
    },
    { name: 'Travel', description: 'two words', partner_foreign_key: null },
  ]);
});

test.each([
  ['a byte order mark', `\ufeff${header}a,,\n`, 'text/csv'],
  ['capitals and spaces in the header', 'Name, Description ,PartnerKey\r\na,,\r\n', 'text/csv'],
  ['no line break at the end', `${header}a,,`, 'text/csv'],
  ['parameters in its content type', `${header}a,,`, 'Text/CSV; charset=utf-8; header=present'],
])('a taxonomy may have %s', async (_, text, type) => {
  const { post, list } = await freshPartner();
  expect((await post(text, type)).status).toBe(201);
  expect(await list()).toHaveLength(1);
});

describe('a taxonomy is rejected as a whole', () => {
  test.each([
    ['without a header', 'a,b,c\n', ['line 1']],
    ['with another header', 'name,partnerkey,description\na,,\n', ['line 1']],
    ['if empty', '', ['line 1']],
    ['with only a header', header, ['']],
    ['with a missing column', `${header}good,,\na,b\n`, ['line 3']],
    ['with an extra column', `${header}a,b,c,d\n`, ['line 2']],
    ['with an unclosed quote', `${header}good,,\n\na,"b,c\n`, ['line 4']],
    ['with text after a quote', `${header}"a"b,,\n`, ['line 2']],
    ['without a name', `${header}good,,\n ,,k\n`, ['line 3, name']],
    ['with a long name', `${header}${'n'.repeat(256)},,\n`, ['line 2, name']],
    ['with a line break in a name', `${header}"a\nb",,\n`, ['line 2, name']],
    ['with a long description', `${header}a,${'d'.repeat(4097)},\n`, ['line 2, description']],
    ['with a separator in a key', `${header}a,,k|l\n`, ['line 2, partnerkey']],
    ['with a duplicate key', `${header}a,,k\nb,,l\nc,,k\n`, ['line 4, partnerkey']],
    [
      'with several of these issues',
      `${header}"two\nlines",,k|l\na\n`,
      ['line 2, name', 'line 2, partnerkey', 'line 4'],
    ],
  ])('%s', async (_, text, pointers) => {
    const { post, list } = await freshPartner();
    const problem = expectProblem(await post(text), 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(pointers);
    expect(problem.detail).toContain(`${pointers[0] || 'The body'} `);
    expect(await list()).toEqual([]);
  });

  test('with a key of another attribute', async () => {
    const { post, postJson, list } = await freshPartner();
    await postJson({ name: 'old', description: '', partner_foreign_key: 'taken' });
    const answer = await post(`${header}a,,free\nb,,taken\n`);
    const { detail } = expectProblem(answer, 409, 'foreign_key_taken');
    expect(detail).toMatch(/^line 3: .*"taken"/);
    expect(await list()).toHaveLength(1);
  });

  test('with invalid UTF-8', async () => {
    const { post } = await freshPartner();
    const bytes = Buffer.concat([Buffer.from(`${header}a`), Buffer.of(0xff), Buffer.from(',,\n')]);
    expectProblem(await post(bytes), 400, 'malformed_body');
  });

  test('with more than 10,000 attributes', async () => {
    const { post, list } = await freshPartner();
    const most = header + 'a,,\n'.repeat(10_000);
    expectProblem(await post(`${most}a,,\n`), 400, 'invalid_input');
    expect(await list()).toEqual([]);
    expect((await post(most)).body.attribute_ids).toHaveLength(10_000);
    // One page.
    expect(await list()).toHaveLength(1_000);
  });

  test('with more than 1 MiB', async () => {
    const { post } = await freshPartner();
    const text = header.padEnd(1024 * 1024 + 1, 'x');
    expectProblem(await post(text), 413, 'body_too_large');
  });

  test('with a limited number of issues', async () => {
    const { post } = await freshPartner();
    const answer = await post(header + 'a\n'.repeat(9_000));
    expect(expectProblem(answer, 400, 'invalid_input').errors).toHaveLength(50);
    expect(answer.text.length).toBeLessThan(10_000);
  });
});

test('only this route accepts CSV, and it accepts only JSON and CSV', async () => {
  const { apiKey: token } = await service.partner();
  const headers = { 'content-type': 'text/csv' };
  const elsewhere = [
    ['POST', '/v1/marketplace/import'],
    ['DELETE', '/v1/marketplace/import'],
    ['PATCH', `${path}/1`],
  ] as const;
  for (const [method, where] of elsewhere) {
    const answer = await service.call(method, where, { token, headers, body: header });
    const { detail } = expectProblem(answer, 415, 'unsupported_media_type');
    expect(detail).toBe('Send the body as Content-Type: application/json.');
  }
  const text = await service.call('POST', path, { token, body: header });
  expect(expectProblem(text, 415, 'unsupported_media_type').detail).toBe(
    'Send the body as Content-Type: application/json or Content-Type: text/csv.',
  );
  const nothing = await service.call('POST', path, { token });
  expect(pointersOf(expectProblem(nothing, 400, 'invalid_input'))).toEqual(['']);
  const string = await service.call('POST', path, { token, json: `${header}a,,` });
  expect(pointersOf(expectProblem(string, 400, 'invalid_input'))).toEqual(['']);
});
