import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

let service: TestApp;
let apiKey: string;
beforeAll(async () => {
  service = await startTestApp();
  ({ apiKey } = await service.partner());
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/v1/marketplace/attribute';
const post = (json: unknown, token = apiKey) => service.call('POST', path, { token, json });
const get = (where: string, token = apiKey) => service.call('GET', where, { token });
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('creating an attribute returns its id and location, and the attribute has the values sent', async () => {
  const sent = {
    name: 'Autos > Intenders',
    description: 'In the market',
    partner_foreign_key: 'k',
  };
  const created = await post(sent);
  expect(created.status).toBe(201);
  const id: number = created.body.attribute_id;
  expect(created.body).toEqual({ attribute_id: expect.any(Number) });
  expect(created.headers.get('location')).toBe(`${path}/${id}`);
  const record = await get(created.headers.get('location')!);
  expect(record.status).toBe(200);
  expect(record.body).toEqual({
    attribute_id: id,
    ...sent,
    unique_devices: 0,
    created_at: timestamp,
    updated_at: timestamp,
  });
});

test('the foreign key is optional, and several attributes may have none', async () => {
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push((await post({ name: 'a', description: '' })).body);
  for (const { attribute_id } of ids) {
    expect((await get(`${path}/${attribute_id}`)).body).toMatchObject({
      description: '',
      partner_foreign_key: null,
    });
  }
});

test('the list has all attributes of the partner, ordered by id', async () => {
  const [one, other] = [await service.partner(), await service.partner()];
  expect((await get(path, one.apiKey)).body).toEqual([]);
  const ids: number[] = [];
  for (let n = 0; n < 5; n++) {
    const { body } = await post({ name: `n${n}`, description: '' }, one.apiKey);
    ids.push(body.attribute_id);
    await post({ name: 'theirs', description: '' }, other.apiKey);
  }
  const list = (await get(path, one.apiKey)).body;
  expect(list.map((record: { attribute_id: number }) => record.attribute_id)).toEqual(ids);
  expect(list[2]).toEqual((await get(`${path}/${ids[2]}`, one.apiKey)).body);
});

test('the list can be searched by name and key, in pages', async () => {
  const { apiKey: token } = await service.partner();
  const named = [
    { name: 'Tee > Grün', partner_foreign_key: 'a.1' },
    { name: 'Coffee', partner_foreign_key: 'tee-2' },
    { name: 'Water', partner_foreign_key: 'a-1' },
  ];
  for (const attribute of named) await post({ ...attribute, description: '' }, token);
  const found = async (query: Record<string, string>) => {
    const { body } = await get(`${path}?${new URLSearchParams(query)}`, token);
    return body.map(({ name }: { name: string }) => name);
  };
  expect(await found({ search: 'TEE' })).toEqual(['Tee > Grün', 'Coffee']);
  expect(await found({ search: 'GRÜN' })).toEqual(['Tee > Grün']);
  expect(await found({ search: 'a.1' })).toEqual(['Tee > Grün']);
  const page = await get(`${path}?search=tee&limit=1`, token);
  expect(page.headers.get('link')).toContain('search=tee');
});

describe('a partner foreign key', () => {
  const withKey = (key: string, token = apiKey) =>
    post({ name: 'a', description: '', partner_foreign_key: key }, token);

  test.each([
    ['one character', 'x'],
    ['255 characters', 'k'.repeat(255)],
    ['255 supplementary characters', '😀'.repeat(255)],
    ['inner spaces', 'a b\u3000c'],
    ['characters that CSV quotes', 'a,b "c"'],
    ['any script', 'Schlüssel-ключ-鍵-🔑'],
    ['markup', '<script>alert(1)</script>'],
    ['SQL', "'; drop table attribute; --"],
    ['digits only', '12345'],
  ])('may be %s, and is returned unchanged', async (_, key) => {
    const created = await withKey(key);
    expect(created.status).toBe(201);
    const record = (await get(`${path}/${created.body.attribute_id}`)).body;
    expect(record.partner_foreign_key).toBe(key);
  });

  test.each([
    ['empty', ''],
    ['256 characters', 'k'.repeat(256)],
    ['256 supplementary characters', '😀'.repeat(256)],
    ['with the separator', 'a|b'],
    ['with a leading space', ' a'],
    ['with a trailing space', 'a '],
    ['with a trailing no-break space', 'a\u00a0'],
    ['with a leading byte order mark', '\ufeffa'],
    ['a space', ' '],
    ['with a tab', 'a\tb'],
    ['with a line break', 'a\nb'],
    ['with NUL', 'a\0b'],
    ['with DEL', 'a\x7fb'],
    ['with a C1 control character', 'a\x85b'],
    ['a lone surrogate', '\ud83d'],
  ])('may not be %s', async (_, key) => {
    const problem = expectProblem(await withKey(key), 400, 'invalid_input');
    expect(new Set(pointersOf(problem))).toEqual(new Set(['/partner_foreign_key']));
  });

  test('must be unique among the attributes of the partner', async () => {
    expect((await withKey('taken')).status).toBe(201);
    const { detail } = expectProblem(await withKey('taken'), 409, 'foreign_key_taken');
    expect(detail).toContain('"taken"');
    expect((await withKey('Taken')).status).toBe(201);
  });

  test('is assigned once to concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => withKey('contended')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test('may be the same for different partners', async () => {
    const other = await service.partner();
    expect((await withKey('shared')).status).toBe(201);
    expect((await withKey('shared', other.apiKey)).status).toBe(201);
  });
});

describe('a name', () => {
  test.each(['x', 'A > B > C', '😀'.repeat(255), ' with spaces '])('may be %j', async (name) => {
    const created = await post({ name, description: '' });
    expect((await get(`${path}/${created.body.attribute_id}`)).body.name).toBe(name.trim());
  });

  test.each(['', 'x'.repeat(256), 'a\nb', 'a\0', 'a\x7f', 'a\x9f', '\udc00'])(
    'may not be %j',
    async (name) => {
      const problem = expectProblem(await post({ name, description: '' }), 400, 'invalid_input');
      expect(new Set(pointersOf(problem))).toEqual(new Set(['/name']));
    },
  );

  test('need not be unique', async () => {
    for (let n = 0; n < 2; n++) {
      expect((await post({ name: 'Twin', description: '' })).status).toBe(201);
    }
  });
});

test('a description is optional and defaults to an empty string', async () => {
  const created = await post({ name: 'a' });
  expect(created.status).toBe(201);
  expect((await get(`${path}/${created.body.attribute_id}`)).body.description).toBe('');
  expectProblem(await post({ name: 'a', description: null }), 400, 'invalid_input');
});

test('a description may have several lines, but not NUL, lone surrogates or over 4096 characters', async () => {
  for (const description of ['', 'two\nlines\tand a tab', '😀'.repeat(4096)]) {
    const created = await post({ name: 'a', description });
    const record = (await get(`${path}/${created.body.attribute_id}`)).body;
    expect(record.description).toBe(description);
  }
  for (const description of ['a\0b', '\ud800', 'x'.repeat(4097)]) {
    const problem = expectProblem(await post({ name: 'a', description }), 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(['/description']);
  }
});

test('beyond the limit of attributes the response names it', async () => {
  await using small = await startTestApp({ maxAttributes: 2 });
  const { apiKey: token } = await small.partner();
  const taxonomy = 'name,description,partnerkey\nOne,,1\nTwo,,2\n';
  const create = (name: string) => small.call('POST', path, { token, json: { name } });
  expect((await create('Zero')).status).toBe(201);
  const refused = await small.call('POST', path, {
    token,
    headers: { 'content-type': 'text/csv' },
    body: taxonomy,
  });
  expectProblem(refused, 409, 'limit_reached');
  expect(refused.body.detail).toBe(
    'The limit of 2 attributes is reached. Delete attributes that are not used, or ask the operator for a higher limit.',
  );
  expect((await create('One')).status).toBe(201);
  expectProblem(await create('Two'), 409, 'limit_reached');
});
