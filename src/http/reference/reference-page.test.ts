import swagger from '@fastify/swagger';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { beforeAll, expect, test } from 'vitest';
import { samplesIn } from '../../../test/support/reference-samples.ts';
import { contentsOf } from './document/contents.ts';
import type { OpenApiDocument } from './document/openapi-document.ts';
import { renderReference } from './reference-page.ts';

const problems = [
  { code: 'not_found', status: 404, title: 'Not found', meaning: 'It is not there, or not yours.' },
  { code: 'invalid_input', status: 400, title: 'Invalid input', meaning: 'See `errors`.' },
];

let document: OpenApiDocument;
let page: string;

beforeAll(async () => {
  document = await describedService();
  page = renderReference(document, problems);
});

/** A document made as in the service: the plugin collects the TypeBox schemas of routes. */
async function describedService(): Promise<OpenApiDocument> {
  const app = Fastify();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tributary', version: '1.2.3', description: 'One.\n\nTwo, with `code`.' },
      servers: [{ url: 'http://127.0.0.1:8080' }],
      tags: [{ name: 'Imports', description: 'Files in.' }, { name: 'Unused' }],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    },
    refResolver: { buildLocalReference: (json) => String(json.$id) },
  });
  const log = Type.Object(
    {
      import_log_id: Type.Integer({ minimum: 1, examples: [42] }),
      status: Type.Union([
        Type.Literal(0, { description: 'pending' }),
        Type.Literal(2, { description: 'done' }),
      ]),
      keys: Type.Union([Type.Array(Type.String()), Type.Null()], { examples: [null] }),
    },
    { $id: 'ImportLog' },
  );
  app.addSchema(log);
  const problem = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: Type.Object({ code: Type.String() }) } },
  });
  const shared = { tags: ['Imports'], security: [{ apiKey: [] }] };
  const body = Type.Object(
    {
      file_path: Type.String({ minLength: 1, description: 'The path of the file.' }),
      mode: Type.Optional(
        Type.Union([Type.Literal('merge'), Type.Literal('replace')], { default: 'merge' }),
      ),
    },
    { additionalProperties: false, examples: [{ file_path: 'a.csv' }] },
  );
  const queued = {
    description: 'Queued.',
    headers: { Location: { type: 'string', description: 'Path of the log.' } },
    ...Type.Object({ import_log_id: Type.Integer() }),
  };
  const queueImport = {
    ...shared,
    operationId: 'queueImport',
    summary: 'Queue an import',
    description: 'Answers at once.',
    body,
    response: { 202: queued, 400: problem('`invalid_input`: the body.') },
  };
  const getImportLog = {
    ...shared,
    operationId: 'getImportLog',
    summary: 'Get an import log',
    params: Type.Object({ import_log_id: Type.Integer({ minimum: 1, examples: [42] }) }),
    response: { 200: Type.Ref('ImportLog'), 404: problem('`not_found`: no such log.') },
  };
  app.post('/v1/import', { schema: queueImport }, async () => ({}));
  app.get('/v1/import/:import_log_id', { schema: getImportLog }, async () => ({}));
  app.get('/healthz', async () => ({}));
  await app.ready();
  return app.swagger() as OpenApiDocument;
}

/**
 * Every tag with its attribute names, in order. No text of the document may change it. Code has only the
 * marks of its tokens, and these depend on the text.
 */
function skeletonOf(markup: string): string[] {
  const withoutCode = markup.replace(/<pre><code>(.*?)<\/code>/gs, (_all, code: string) => {
    expect(code.replace(/<span class="code-[a-z]+">|<\/span>/g, '')).not.toContain('<');
    return '<pre><code></code>';
  });
  return [...withoutCode.matchAll(/<(\/?[\w!]+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>/g)].map(
    ([, tag, attributes]) => `${tag} ${attributes?.replace(/="[^"]*"/g, '')}`,
  );
}

const STRUCTURAL = ['type', 'in', '$ref', 'format', 'scheme'];
const NAMED = ['properties', 'headers', 'content', 'securitySchemes', 'security', 'paths'];

/** The same document with the suffix on every text and every name that an author chooses. */
function suffixed(value: unknown, suffix: string, key = ''): unknown {
  if (typeof value === 'string') return STRUCTURAL.includes(key) ? value : value + suffix;
  if (Array.isArray(value)) return value.map((item) => suffixed(item, suffix, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      NAMED.includes(key) ? name + suffix : name,
      suffixed(member, suffix, NAMED.includes(key) ? '' : name),
    ]),
  );
}

function renderSuffixed(suffix: string): string {
  return renderReference(
    suffixed(document, suffix) as OpenApiDocument,
    suffixed(problems, suffix) as typeof problems,
  );
}

test('another address of an operation is listed with the operation', () => {
  const original = { operationId: 'create', summary: 'Create', tags: ['Things'] };
  const other = { ...original, operationId: 'createV1', 'x-same-as': 'create' };
  const lost = { ...other, operationId: 'lost', 'x-same-as': 'gone' };
  const aliased: OpenApiDocument = {
    info: { title: 'T', version: '1' },
    paths: { '/v2/thing': { post: original }, '/v1/thing': { post: other }, '/x': { put: lost } },
  };
  const [group] = contentsOf(aliased);
  expect(group?.entries.map(({ path, others }) => [path, others.map((one) => one.path)])).toEqual([
    ['/v2/thing', ['/v1/thing']],
    ['/x', []],
  ]);
  const rendered = renderReference(aliased, []);
  expect(rendered).toMatch(
    /id="operation-createV1"><span class="label">Also at<\/span> .*\/v1\/thing/,
  );
  expect(rendered.match(/<article /g)).toHaveLength(2);
});

test('no text of the document becomes markup', () => {
  const hostile = renderSuffixed(`-"'><script>alert(1)</script><b onclick='x'>&amp;`);
  expect(hostile).not.toMatch(/<script>|<b /);
  expect(hostile).toContain('&lt;script&gt;');
  expect(hostile).toContain('&amp;amp;');
  const harmless = skeletonOf(renderSuffixed('-x'));
  expect(harmless.length).toBeGreaterThan(100);
  expect(skeletonOf(hostile)).toEqual(harmless);
});

test('anchors are unique, and every internal link has a target', () => {
  const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(anchors).size).toBe(anchors.length);
  const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  for (const anchor of ['operation-queueImport', 'operation-get-healthz', 'group-Imports']) {
    expect(anchors).toContain(anchor);
  }
  expect(anchors).toEqual(expect.arrayContaining(['problem-not_found', 'problem-invalid_input']));
});

test('the page begins with its only h1, and headings never skip a level', () => {
  const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  expect(levels[0]).toBe(1);
  const skips = levels.filter((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1);
  expect(skips).toEqual([]);
  expect(Math.max(...levels)).toBe(5);
});

test('the page loads only its stylesheet and script, and has none inline; its icon is inline', () => {
  const sources = [...page.matchAll(/ (?:src|href)="([^#"][^"]*)"/g)].map(([, source]) => source!);
  const [icon, ...loaded] = sources.sort(
    (a, b) => Number(b.startsWith('data:')) - Number(a.startsWith('data:')),
  );
  expect(icon).toMatch(/^data:image\/svg\+xml[,;]/);
  expect(loaded).toEqual([
    '/docs/reference.css',
    '/docs/reference.js',
    '/openapi.json',
    '/docs/postman.json',
  ]);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).toContain('src="/docs/reference.js"></script>');
  expect(page).not.toMatch(/<(style|img|iframe)|\s(style|on\w+)=/);
});

test('an operation lists its parameters, authentication and responses', () => {
  const [, queue = '', get = ''] = page.split('<article');
  expect(queue).toContain('<code>file_path</code></th><td role="cell">string</td>');
  expect(queue).toContain('&quot;merge&quot; or &quot;replace&quot;</td>');
  expect(queue).toContain('Unknown fields are refused.');
  expect(queue).toContain('<code>Authorization: Bearer $API_KEY</code>');
  expect(queue).toContain('<code>Location</code>');
  expect(queue).toContain('<a href="#problem-invalid_input"><code>invalid_input</code></a>');
  expect(get).toContain('integer, in the path');
  expect(get).toContain('array of strings or null');
  expect(get).toContain('<code>2</code> done');
  const [shell = ''] = samplesIn(get, 'shell');
  expect(shell).toContain('curl http://127.0.0.1:8080/v1/import/42 ');
  expect(samplesIn(get, 'typescript')[0]).toContain("fetch('http://127.0.0.1:8080/v1/import/42'");
  expect(samplesIn(get, 'python')[0]).toContain('"http://127.0.0.1:8080/v1/import/42"');
  expect(get).toContain('<span class="code-name">&quot;keys&quot;</span>: ');
});

test('an operation without a tag has a group; a tag without an operation does not', () => {
  expect(page).toContain('Other operations</h2>');
  expect(page).not.toContain('Unused');
  expect(page).toContain('<span class="label">Authentication</span> none');
});

test('operations whose names give the same anchor get different anchors', () => {
  const paths = { '/a': { get: { operationId: 'a b' }, put: { operationId: 'a-b' } } };
  const groups = contentsOf({ info: document.info, paths });
  const anchors = groups.flatMap(({ entries }) => entries.map(({ anchor }) => anchor));
  expect(anchors).toEqual(['operation-a-b', 'operation-a-b-2']);
});

test('parts come in their order, and only the first one is open in the contents', () => {
  const tagged = (tag: string) => ({ get: { operationId: tag, tags: [tag] } });
  const parts = [
    { name: 'Partner API', tags: ['Imports'] },
    { name: 'Operator API', tags: ['Operator'] },
  ];
  const divided: OpenApiDocument = {
    info: document.info,
    tags: [{ name: 'Operator' }, { name: 'Rest' }, { name: 'Imports' }],
    'x-tagGroups': parts,
    paths: { '/o': tagged('Operator'), '/r': tagged('Rest'), '/i': tagged('Imports') },
  };
  const groups = contentsOf(divided);
  expect(groups.map(({ name, part }) => [name, part])).toEqual([
    ['Imports', 'Partner API'],
    ['Operator', 'Operator API'],
    ['Rest', undefined],
  ]);
  const rendered = renderReference(divided, []);
  const summaries = rendered.match(/<details class="part".*<\/summary>/g);
  expect(summaries).toEqual([
    '<details class="part" open><summary>Partner API</summary>',
    '<details class="part"><summary>Operator API</summary>',
  ]);
});

test('the form of an operation has its fields, and asks before it changes anything', () => {
  const [, queue = '', get = ''] = page.split('<template');
  expect(queue).toContain(
    'data-method="POST" data-path="/v1/import" data-accept="application/json" data-asks>',
  );
  expect(queue).toMatch(/name="apiKey" data-in="credential" .*data-prefix="Bearer " .* required>/);
  expect(queue).toMatch(/<textarea name="body" .*data-type="application\/json"/);
  // No value, because 42 may be the id of something real.
  expect(get).toMatch(
    /<input name="import_log_id" data-in="path" placeholder="42" [^>]* required>/,
  );
  expect(get).not.toContain('value=');
  const paths = {
    '/a': { delete: { security: [{ key: [] }] }, put: { security: [{ adminToken: [] }] } },
    '/b': {
      post: { security: [{ key: [] }, { session: [] }] },
      get: { security: [{ session: [] }] },
    },
    '/c': { get: { security: [{ adminToken: [] }] } },
  };
  const bearer = { type: 'http', scheme: 'bearer' };
  const securitySchemes = {
    key: bearer,
    adminToken: bearer,
    session: { type: 'apiKey', in: 'cookie', name: 's' },
  };
  const { info } = document;
  const rendered = renderReference({ info, paths, components: { securitySchemes } }, []);
  const forms = [
    ...rendered.matchAll(/<template class="try" data-method="(\w+)".*?( data-asks)?>/g),
  ];
  expect(forms.map(([, method, asks]) => [method, asks !== undefined])).toEqual([
    ['DELETE', true],
    ['PUT', true],
    ['POST', true],
    ['GET', false],
  ]);
});
