import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { contentsOf } from '../document/contents.ts';
import type { OpenApiDocument, PathItem } from '../document/openapi-document.ts';
import { curlExample } from './curl-example.ts';
import { requestExample } from './request-example.ts';

function documentWith(path: string, item: PathItem): OpenApiDocument {
  return {
    info: { title: 'Test', version: '1' },
    servers: [{ url: 'http://127.0.0.1:8080/' }],
    paths: { [path]: item },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        adminToken: { type: 'http', scheme: 'bearer' },
        user: { type: 'apiKey', in: 'header', name: 'x-`id`-"user"' },
      },
    },
  };
}

function commandFor(path: string, item: PathItem): string {
  const document = documentWith(path, item);
  const entry = contentsOf(document)[0]?.entries[0];
  if (entry === undefined) throw new Error('the document has no operation');
  return curlExample(requestExample(document, entry));
}

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`;
  const env = { API_KEY: 'k e$y', ADMIN_TOKEN: 'token', USER: 'ada' };
  return execFileSync('/bin/sh', ['-eu', '-c', script], { env, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

test('a write sends its body unchanged, whatever characters it contains', () => {
  const example = { name: `it's "quoted" $HOME \`id\` \\ !`, lines: 'a\nb' };
  const command = commandFor('/v1/things', {
    post: {
      security: [{ apiKey: [] }],
      requestBody: { content: { 'application/json': { example } } },
    },
  });
  const args = argumentsOf(command);
  expect(args.slice(0, -1)).toEqual([
    '-X',
    'POST',
    'http://127.0.0.1:8080/v1/things',
    '-H',
    'Authorization: Bearer k e$y',
    '-H',
    'Content-Type: application/json',
    '--data-raw',
  ]);
  expect(JSON.parse(args.at(-1) ?? '')).toEqual(example);
  expect(command).toContain('-H "Authorization: Bearer $API_KEY"');
});

test('a read has its path and query filled in and encoded', () => {
  const command = commandFor('/v1/things/{thing}/{missing}/{*}', {
    get: {
      security: [{ adminToken: [], user: [] }, { apiKey: [] }],
      parameters: [
        { name: 'thing', in: 'path', required: true, example: `a/b 'c'` },
        { name: '*', in: 'path', required: true, example: 'in/it [1].csv' },
        { name: 'limit', in: 'query', required: true, schema: { type: 'integer', minimum: 10 } },
        { name: 'after', in: 'query', example: 'x&y' },
        { name: 'unused', in: 'query', schema: { type: 'string' } },
        { name: 'Idempotency-Key', in: 'header', example: `it's` },
      ],
    },
  });
  expect(argumentsOf(command)).toEqual([
    `http://127.0.0.1:8080/v1/things/a%2Fb%20'c'/missing/in/it%20%5B1%5D.csv?limit=10&after=x%26y`,
    '-H',
    'Authorization: Bearer token',
    '-H',
    'x-`id`-"user": ada',
    '-H',
    `Idempotency-Key: it's`,
  ]);
});

test('bytes are uploaded from a file; text is sent unchanged', () => {
  const bytes = { schema: { type: 'string', format: 'binary' } };
  const upload = commandFor('/o', {
    put: { requestBody: { content: { 'application/octet-stream': bytes } } },
  });
  expect(argumentsOf(upload).slice(-2)).toEqual(['--upload-file', 'devices.csv']);
  const csv = commandFor('/t', {
    post: { requestBody: { content: { 'text/csv': { example: '@id,name\n1,a\n' } } } },
  });
  expect(argumentsOf(csv).slice(-2)).toEqual(['--data-raw', '@id,name\n1,a\n']);
});

test('the variable of a credential is a valid shell name', () => {
  const document = documentWith('/x', { get: { security: [{ '2nd key': [] }] } });
  const schemes = { '2nd key': { type: 'http', scheme: 'bearer' } };
  const entry = contentsOf(document)[0]?.entries[0];
  const named = { ...document, components: { securitySchemes: schemes } };
  const command = curlExample(requestExample(named, entry!));
  expect(command).toContain('$_2ND_KEY"');
});
