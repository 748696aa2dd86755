import { expect, test } from 'vitest';
import { readable } from './answer.ts';
import { lastAbove } from './current-section.ts';
import { neighbour } from './language-tabs.ts';
import { prepareRequest } from './request.ts';
import { type Place, search } from './search-index.ts';

const none: Place = { anchor: '', title: '', address: '', names: [], text: '' };
const places: Place[] = [
  { ...none, anchor: 'operation-listImports', title: 'List imports', address: '/v1/import' },
  {
    ...none,
    anchor: 'operation-queueImport',
    title: 'Queue an import',
    address: '/v1/import',
    names: ['file_path', 'key_type'],
    text: 'loads the file at file_path. see rejects',
  },
  {
    ...none,
    anchor: 'problem-not_found',
    title: 'not_found',
    address: 'not found',
    text: 'import',
  },
];

function found(query: string): string[] {
  return search(places, query).map(({ place }) => place.anchor);
}

test('search finds places that have all words, the best first', () => {
  expect(found('queue')).toEqual(['operation-queueImport']);
  expect(found('IMPORT')).toEqual([
    'operation-listImports',
    'operation-queueImport',
    'problem-not_found',
  ]);
  expect(found('import queue')).toEqual(['operation-queueImport']);
  expect(found('not_found')).toEqual(['problem-not_found']);
  expect(found('queueimport')).toEqual(['operation-queueImport']);
  expect(found('import nothing')).toEqual([]);
  expect(found('  ')).toEqual([]);
});

test('search names the field that matched, if the title does not show why', () => {
  expect(search(places, 'key_t')).toMatchObject([{ name: 'key_type' }]);
  expect(search(places, 'queue')).toMatchObject([{ name: undefined }]);
  expect(search(places, 'rejects')).toMatchObject([{ name: undefined }]);
});

const origin = 'https://tributary.example';

function prepared(path: string, ...fields: Parameters<typeof prepareRequest>[1]) {
  const operation = { method: 'PUT', path, accept: 'application/json' };
  return prepareRequest(operation, fields, origin);
}

test('a request has the path, query, headers, credentials and body that were entered', () => {
  const { url, init } = prepared(
    '/v1/a/{id}/objects/{key}',
    { place: 'path', name: 'id', value: 'a b?#%' },
    { place: 'path', name: 'key', value: 'in/it.csv' },
    { place: 'query', name: 'limit', value: '1&2' },
    { place: 'query', name: 'after', value: '' },
    { place: 'header', name: 'Idempotency-Key', value: 'k' },
    {
      place: 'credential',
      name: 'apiKey',
      value: ' secret\n',
      header: 'Authorization',
      prefix: 'Bearer ',
    },
    { place: 'credential', name: 'userToken', value: '', header: 'x-user-token', prefix: '' },
    { place: 'body', name: 'body', value: '{}', type: 'application/json' },
  );
  expect(url.href).toBe(`${origin}/v1/a/a%20b%3F%23%25/objects/in%2Fit.csv?limit=1%262`);
  expect(Object.fromEntries(init.headers as Headers)).toEqual({
    accept: 'application/json',
    authorization: 'Bearer secret',
    'content-type': 'application/json',
    'idempotency-key': 'k',
  });
  expect(init).toMatchObject({ method: 'PUT', body: '{}' });
});

test.each(['//evil.example/x', '../../evil', '...', '\\\\evil.example', 'https://evil.example'])(
  'a request stays at this origin and below its path: %s',
  (value) => {
    const { url, init } = prepared('/v1/{id}', { place: 'path', name: 'id', value });
    expect(url.origin).toBe(origin);
    expect(url.pathname).toMatch(/^\/v1\//);
    expect(init).toMatchObject({ credentials: 'omit', mode: 'same-origin', redirect: 'error' });
  },
);

test('a step in the path is refused', () => {
  for (const value of ['.', '..']) {
    expect(() => prepared('/v1/{id}', { place: 'path', name: 'id', value })).toThrow(
      `"${value}" cannot be sent as id.`,
    );
  }
});

test('JSON is shown with line breaks, other text as it is', () => {
  expect(readable('{"a":1}', 'application/problem+json')).toBe('{\n  "a": 1\n}');
  expect(readable('{"a":1}', 'text/plain')).toBe('{"a":1}');
  expect(readable('{"a":', 'application/json')).toBe('{"a":');
});

test('the current section is the last one that begins above the line', () => {
  const tops = [-50, 10, 120, 300];
  const at = (line: number) => lastAbove(tops.length, (index) => tops[index]!, line);
  expect([-51, -50, 11, 120, 1_000].map(at)).toEqual([-1, 0, 1, 2, 3]);
});

test('arrow keys go round the tabs', () => {
  expect(
    ['ArrowRight', 'ArrowLeft', 'Home', 'End', 'a'].map((key) => neighbour(key, 2, 3)),
  ).toEqual([0, 1, 0, 2, -1]);
});
