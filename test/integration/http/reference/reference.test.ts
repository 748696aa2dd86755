import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemKinds } from '../../../../src/http/server/problems.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { samplesIn } from '../../../support/reference-samples.ts';
import { machineHas } from '../../../support/requirements.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests look into the document as JSON
type Json = any;

let service: TestApp;
let document: Json;
let operations: { name: string; path: string; method: string; operation: Json }[];
beforeAll(async () => {
  service = await startTestApp();
  document = (await service.call('GET', '/openapi.json')).body;
  operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => {
      return { name: `${method} ${path}`, path, method, operation };
    }),
  );
});
afterAll(() => service[Symbol.asyncDispose]());

/** The audience operations, which both versions have. */
function audienceOperations(version: string): string[] {
  const list = `${version}/firstparty/audience`;
  const one = `${list}/{audience_id}`;
  const reports = ['composition', 'errors', 'history', 'progress', 'rejects'];
  return [
    `get ${list}`,
    `post ${list}`,
    `get ${one}`,
    `patch ${one}`,
    `put ${one}`,
    ...reports.map((report) => `get ${one}/${report}`),
    ...watchOperations(`${one}/watch`),
  ];
}

function watchOperations(list: string): string[] {
  const one = `${list}/{watch_id}`;
  return [
    `get ${list}`,
    `post ${list}`,
    ...['get', 'patch', 'delete'].map((method) => `${method} ${one}`),
    `get ${one}/files`,
    `post ${one}/poll`,
  ];
}

const auditFilter = ['actor', 'partner_id', 'customer_id', 'action', 'changes', 'since', 'until'];

/** Query parameters of other operations. */
const queries: Record<string, string[]> = {
  '/v2/firstparty/audience/{audience_id}/composition': ['baseline'],
  '/v1/firstparty/audience/{audience_id}/composition': ['baseline'],
  '/admin/v1/audit': auditFilter,
  '/admin/v1/audit/export': auditFilter,
  '/admin/v1/jobs': ['partner_id', 'kind', 'state', 'since', 'until', 'order'],
  '/admin/v1/trends': ['days', 'partner_id'],
  '/admin/v1/privacy/requests': ['kind', 'state', 'reference'],
  '/admin/v1/usage': ['since', 'until', 'partner_id'],
  '/v1/usage': ['since', 'until'],
  '/v1/console/audiences': ['limit', 'after', 'search'],
  '/v1/console/objects': ['prefix', 'limit', 'after'],
  '/v1/console/jobs': ['state', 'kind', 'search'],
  '/v1/marketplace/attribute': ['search'],
  '/v1/marketplace/watch/{watch_id}/files': ['state'],
  '/v1/firstparty/audience/{audience_id}/watch/{watch_id}/files': ['state'],
  '/v2/firstparty/audience/{audience_id}/watch/{watch_id}/files': ['state'],
  '/admin/v1/oauth-grants': ['partner_id', 'customer_id', 'user_id'],
};

/** Every object in the document, with its path. */
function* objectsIn(value: Json, trail: string[] = []): Generator<[string[], Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [trail, value];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, [...trail, name]);
}

const textParameters = new Set([
  'baseline',
  'search',
  'prefix',
  'actor',
  'action',
  'changes',
  'since',
  'until',
  'kind',
  'state',
  'reference',
  'order',
]);

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1, with a title, a version and the public address', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Tributary', version: expect.any(String) });
    expect(document.servers).toEqual([{ url: 'http://localhost:8080' }]);
  });

  test('has exactly the operations of the service', () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(
      [
        'delete /v1/webhooks/{webhook_id}',
        'get /admin/v1/webhooks',
        'get /admin/v1/webhooks/{webhook_id}/deliveries',
        'get /v1/webhooks',
        'get /v1/webhooks/{webhook_id}',
        'get /v1/webhooks/{webhook_id}/deliveries',
        'patch /admin/v1/webhooks/{webhook_id}',
        'patch /v1/webhooks/{webhook_id}',
        'post /v1/webhooks',
        'post /v1/webhooks/{webhook_id}/replay',
        'post /v1/webhooks/{webhook_id}/secret',
        'post /v1/webhooks/{webhook_id}/test',
        'get /admin/v1/jobs',
        'get /admin/v1/jobs/{job_id}',
        'get /admin/v1/partners/{partner_id}/trouble',
        'get /admin/v1/trends',
        'post /admin/v1/customers/{customer_id}/users/{user_id}/password-link',
        'post /v1/console/password-links/check',
        'post /v1/console/password-links/request',
        'post /v1/console/password-links/use',
        'delete /admin/v1/customers/{customer_id}',
        'delete /admin/v1/customers/{customer_id}/users/{user_id}',
        'delete /admin/v1/oauth-grants/{grant_id}',
        'delete /admin/v1/partners/{partner_id}',
        'delete /admin/v1/partners/{partner_id}/api-keys/{api_key_id}',
        'delete /admin/v1/partners/{partner_id}/oauth-apps/{client_id}',
        'delete /admin/v1/partners/{partner_id}/storage-credentials/{access_key_id}',
        'delete /admin/v1/partners/{partner_id}/user-tokens/{user_token_id}',
        'delete /admin/v1/sessions/{session_id}',
        'delete /v1/console/apps/{client_id}',
        'delete /v1/console/session',
        'delete /v1/console/sessions',
        'delete /v1/console/sessions/{session_id}',
        'delete /v1/marketplace/attribute/{attribute_id}',
        'delete /v1/marketplace/import',
        'get /admin/v1/audit',
        'get /admin/v1/audit/export',
        'get /admin/v1/backups',
        'get /admin/v1/backups/{backup_id}',
        'get /admin/v1/customers',
        'get /admin/v1/customers/{customer_id}/holdings',
        'get /admin/v1/customers/{customer_id}/users',
        'get /admin/v1/doctor',
        'get /admin/v1/oauth-grants',
        'get /admin/v1/oauth-keys',
        'get /admin/v1/partners',
        'get /admin/v1/partners/{partner_id}/api-keys',
        'get /admin/v1/partners/{partner_id}/disclosure',
        'get /admin/v1/partners/{partner_id}/holdings',
        'get /admin/v1/partners/{partner_id}/oauth-apps',
        'get /admin/v1/partners/{partner_id}/quotas',
        'get /admin/v1/partners/{partner_id}/storage',
        'get /admin/v1/partners/{partner_id}/storage-credentials',
        'get /admin/v1/partners/{partner_id}/user-tokens',
        'get /admin/v1/privacy/cycles',
        'get /admin/v1/privacy/cycles/{cycle_id}',
        'get /admin/v1/privacy/cycles/{cycle_id}/files/{name}',
        'get /admin/v1/privacy/drop',
        'get /admin/v1/privacy/requests',
        'get /admin/v1/privacy/requests/{request_id}',
        'get /admin/v1/privacy/requests/{request_id}/findings',
        'get /admin/v1/privacy/requests/{request_id}/identifiers',
        'get /admin/v1/sessions',
        'get /admin/v1/status',
        'get /admin/v1/usage',
        'get /admin/v1/warehouse',
        'get /healthz',
        'get /readyz',
        'get /v1/console/access',
        'get /v1/console/apps',
        'get /v1/console/audiences',
        'get /v1/console/authorizations/{uid}',
        'get /v1/console/customers',
        'get /v1/console/imports/{import_log_id}/request',
        'get /v1/console/jobs',
        'get /v1/console/objects',
        'get /v1/console/segments/{segment_id}',
        'get /v1/console/session',
        'get /v1/console/sessions',
        'get /v1/console/storage',
        'get /v1/marketplace/attribute',
        'get /v1/marketplace/attribute/{attribute_id}',
        'get /v1/marketplace/attribute/{attribute_id}/history',
        ...watchOperations('/v1/marketplace/watch'),
        'get /v1/marketplace/bucket-role',
        'get /v1/marketplace/import',
        'get /v1/marketplace/import/{import_log_id}',
        'get /v1/marketplace/import/{import_log_id}/files',
        'get /v1/marketplace/import/{import_log_id}/progress',
        'get /v1/marketplace/import/{import_log_id}/rejects',
        'get /v1/usage',
        'get /v1/usage/quotas',
        'patch /admin/v1/customers/{customer_id}',
        'patch /admin/v1/customers/{customer_id}/users/{user_id}',
        'patch /admin/v1/partners/{partner_id}',
        'patch /admin/v1/partners/{partner_id}/oauth-apps/{client_id}',
        'patch /admin/v1/partners/{partner_id}/quotas',
        'patch /admin/v1/partners/{partner_id}/storage',
        'patch /v1/marketplace/attribute/{attribute_id}',
        'post /admin/v1/admin-token/rotate',
        'post /admin/v1/backups',
        'post /admin/v1/warehouse',
        'post /admin/v1/customers',
        'post /admin/v1/customers/{customer_id}/users',
        'post /admin/v1/oauth-keys',
        'post /admin/v1/partners',
        'post /admin/v1/partners/{partner_id}/api-keys',
        'post /admin/v1/partners/{partner_id}/oauth-apps',
        'post /admin/v1/partners/{partner_id}/oauth-apps/{client_id}/secret',
        'post /admin/v1/partners/{partner_id}/storage-credentials',
        'post /admin/v1/partners/{partner_id}/user-tokens',
        'post /admin/v1/privacy/cycles/{cycle_id}/close',
        'post /admin/v1/privacy/drop/sync',
        'post /admin/v1/privacy/requests',
        'post /admin/v1/secret-key/reseal',
        'post /v1/console/audiences',
        'post /v1/console/authorizations/{uid}',
        'post /v1/console/session',
        'post /v1/console/uploads',
        'post /v1/marketplace/attribute',
        'post /v1/marketplace/import',
        'put /admin/v1/partners/{partner_id}/disclosure',
        'put /admin/v1/partners/{partner_id}/objects/{key}',
        'put /admin/v1/privacy/archives/{name}',
        'put /v1/console/password',
        ...['/v1', '/v2'].flatMap((version) => audienceOperations(version)),
      ].sort(),
    );
  });

  test('lists exactly the methods that each path allows', async () => {
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      const real = path.replace('{key}', 'a/b').replace(/\{\w+\}/g, '1');
      const { headers } = await service.call('SEARCH', real);
      const allowed = headers.get('allow')!.split(', ');
      const documented = Object.keys(methods).map((method) => method.toUpperCase());
      const others = documented.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
      expect(allowed).toEqual([...documented, ...others].sort());
    }
  });

  test('gives each operation a unique id, a summary, a known tag and responses', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(operations.length);
    const tags = document.tags.map((tag: Json) => tag.name);
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+(V1)?$/);
      expect(operation.summary).toMatch(/./);
      expect(tags).toContain(operation.tags[0]);
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => /^2\d\d$/.test(status))).toBe(true);
      for (const answer of Object.values<Json>(operation.responses)) {
        expect(answer.description).toMatch(/./);
      }
    }
  });

  test('declares every path parameter, and the headers of operations that have one', () => {
    for (const { path, method, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = { path: [], header: [], query: [] } as Record<string, string[]>;
      for (const parameter of operation.parameters ?? []) {
        expect(parameter.required).toBe(parameter.in === 'path');
        const isNumber = parameter.in === 'query' && !textParameters.has(parameter.name);
        // Some lists are paged by a text.
        const types = parameter.name === 'after' ? ['integer', 'string'] : [];
        const { type = typeof parameter.schema.enum?.[0] } = parameter.schema;
        expect([isNumber ? 'integer' : 'string', ...types]).toContain(type);
        declared[parameter.in]!.push(parameter.name);
      }
      expect(declared.path!.sort()).toEqual(inPath.sort());
      const hasKey = /^\/v\d\/((marketplace|firstparty)\/|webhooks)|\/privacy\/requests$/.test(
        path,
      );
      const waits = /\/(import\/\{import_log_id\}|audience\/\{audience_id\})$/.test(path);
      const key = hasKey && method !== 'get' ? ['Idempotency-Key'] : [];
      expect(declared.header).toEqual(waits && method === 'get' ? ['Prefer'] : key);
      // A list names its next page in a header.
      const isPaged = operation.responses['200']?.headers?.Link !== undefined;
      const ofPath = method === 'get' ? (queries[path] ?? []) : [];
      const inQuery = [...(isPaged ? ['limit', 'after'] : []), ...ofPath];
      expect(declared.query!.sort(), path).toEqual(inQuery.sort());
    }
  });

  test('declares the authentication of every operation with defined schemes', () => {
    for (const { name, operation } of operations) {
      expect(operation.security).toEqual(securityOf(name));
    }
    const { apiKey, adminToken, userToken, session } = document.components.securitySchemes;
    expect([apiKey.scheme, adminToken.scheme]).toEqual(['bearer', 'bearer']);
    expect(session).toMatchObject({ in: 'cookie', name: 'tributary-session' });
    expect(userToken).toMatchObject({
      in: 'header',
      name: 'x-user-token',
    });
  });

  test('describes problems, with all codes, as the default response of every operation', () => {
    for (const { operation } of operations) {
      const problem = operation.responses.default.content['application/problem+json'].schema;
      expect(problem.properties.code.enum).toEqual(Object.keys(problemKinds));
    }
  });

  test('has valid schemas whose references have targets', () => {
    let schemas = 0;
    for (const [trail, part] of objectsIn(document)) {
      if (typeof part.$ref === 'string') {
        const steps = part.$ref.replace(/^#\//, '').split('/');
        expect(steps.reduce((at: Json, step: string) => at?.[step], document)).toBeDefined();
      }
      if (!trail.includes('schema') || trail.at(-1) === 'properties') continue;
      schemas += 1;
      // OpenAPI 3.1 has no `nullable`; its schemas are JSON Schema 2020-12.
      expect(part).not.toHaveProperty('nullable');
      if (part.required) {
        expect(Object.keys(part.properties)).toEqual(expect.arrayContaining(part.required));
      }
      if (part.pattern) expect(() => new RegExp(part.pattern, 'u')).not.toThrow();
      if (part.type) {
        expect(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']).toEqual(
          expect.arrayContaining([part.type].flat()),
        );
      }
    }
    expect(schemas).toBeGreaterThan(100);
  });

  test('forbids unknown fields in every JSON body', () => {
    const bodies = operations.flatMap(({ operation }) => {
      return operation.requestBody?.content['application/json']?.schema ?? [];
    });
    expect(bodies).toHaveLength(45);
    for (const schema of bodies) {
      // An optional body is an object or null.
      const [object] = schema.anyOf ?? [schema];
      expect(object.additionalProperties).toBe(false);
    }
  });
});

describe('the reference page', () => {
  test('is HTML with a policy that allows only our own files and requests', async () => {
    const page = await service.call('GET', '/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).toContain("script-src 'self'; connect-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*|http/);
    const style = await service.call('GET', '/docs/reference.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  test('loads nothing from other sites and has no inline script or style', async () => {
    const { text } = await service.call('GET', '/docs');
    const loaded = [...text.matchAll(/<(?:link|img|script|iframe)\b[^>]*>/g)].map(([tag]) => tag);
    expect(loaded).toEqual([
      expect.stringMatching(/^<link rel="icon" type="image\/svg\+xml" href="data:[^"]+">$/),
      '<link rel="stylesheet" href="/docs/reference.css">',
      '<script type="module" src="/docs/reference.js">',
    ]);
    expect(text).not.toMatch(/<style|\sstyle="|\son\w+="|javascript:/);
    const { text: css } = await service.call('GET', '/docs/reference.css');
    expect(css).not.toMatch(/@import|url\(/);
    const script = await service.call('GET', '/docs/reference.js');
    expect(script.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    expect(script.text).not.toMatch(/\beval\(|new Function|innerHTML|https?:/);
  });

  test('links to a collection of all operations for Postman', async () => {
    const { status, headers, body } = await service.call('GET', '/docs/postman.json');
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain('tributary.postman_collection.json');
    const requests = body.item.flatMap((group: Json) => group.item);
    const shown = operations.filter(({ operation }) => operation['x-same-as'] === undefined);
    expect(requests).toHaveLength(shown.length);
    const queue = requests.find(({ name }: Json) => name === 'Queue an import').request;
    expect(queue.url.raw).toBe('{{BASE_URL}}/v1/marketplace/import');
    expect(JSON.parse(queue.body.raw)).toMatchObject({ file_path: expect.any(String) });
    expect(body.variable).toContainEqual({ key: 'API_KEY', value: '' });
  });

  test('is sent zipped to clients that accept it', async () => {
    const sizeOf = async (encoding: string) => {
      const { headers } = await service.call('GET', '/docs', {
        headers: { 'accept-encoding': encoding },
      });
      return [headers.get('content-encoding'), Number(headers.get('content-length'))] as const;
    };
    const [plain, zipped, brotli] = [
      await sizeOf('identity'),
      await sizeOf('br, gzip'),
      await sizeOf('gzip;q=0, br'),
    ];
    expect([plain[0], zipped[0], brotli[0]]).toEqual([null, 'gzip', 'br']);
    expect(zipped[1]).toBeLessThan(plain[1] / 5);
  });

  test("begins with the partners' operations, then those of operators and the console", async () => {
    const { text } = await service.call('GET', '/docs');
    const parts = [...text.matchAll(/<p class="part-name">(.*)<\/p>/g)].map(([, part]) => part);
    expect([...new Set(parts)]).toEqual(['Partner API', 'Operator API', 'Console API']);
    expect(parts.toSorted((a, b) => parts.indexOf(a) - parts.indexOf(b))).toEqual(parts);
    expect(text.indexOf('id="quick-start"')).toBeLessThan(
      text.indexOf('id="operation-queueImport"'),
    );
  });

  test('has valid examples in every language', async () => {
    const { text } = await service.call('GET', '/docs');
    const [shell, typescript, python] = [
      samplesIn(text, 'shell'),
      samplesIn(text, 'typescript'),
      samplesIn(text, 'python'),
    ];
    // Other addresses of an operation have no examples. The quick start has five.
    const count = operations.filter(({ operation }) => !operation['x-same-as']).length + 5;
    expect([shell.length, typescript.length, python.length]).toEqual([count, count, count]);
    const faults = typescript.flatMap((code) => {
      const options = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext };
      const { diagnostics = [] } = ts.transpileModule(code, {
        compilerOptions: options,
        reportDiagnostics: true,
      });
      return diagnostics.map(({ messageText }) => `${messageText}: ${code}`);
    });
    expect(faults).toEqual([]);
    execFileSync('/bin/sh', ['-n'], { input: shell.join('\n') });
    if (!machineHas('python3')) return;
    const compileAll =
      'import json, sys\nfor code in json.load(sys.stdin): compile(code, code, "exec")';
    execFileSync('/usr/bin/python3', ['-c', compileAll], { input: JSON.stringify(python) });
  });

  test.runIf(machineHas('curl', 'python3'))('has examples that run', async () => {
    const { apiKey } = await service.partner();
    const { text } = await service.call('GET', '/docs');
    const article = text
      .split('<article')
      .find((one) => one.includes('id="operation-createAttribute"'))!;
    const run = promisify(execFile);
    const env = { PATH: process.env.PATH ?? '', API_KEY: apiKey };
    const programs = {
      shell: ['/bin/sh', '-euc'],
      typescript: [process.execPath, '--input-type=module-typescript', '--eval'],
      python: ['/usr/bin/python3', '-c'],
    } as const;
    const key = /"partner_foreign_key": "([\w-]+)"/.exec(samplesIn(article, 'shell')[0]!)![1]!;
    for (const language of ['shell', 'typescript', 'python'] as const) {
      const [sample = ''] = samplesIn(article, language);
      const code = sample
        .replace('http://localhost:8080', service.url)
        .replaceAll(key, `${key}-${language}`);
      const [program, ...options] = programs[language];
      const { stdout } = await run(program, [...options, code], { env });
      expect(stdout).toMatch(/attribute_id["']?: ?\d/);
    }
    const listed = (await service.call('GET', '/v1/marketplace/attribute', { token: apiKey })).body;
    expect(listed.map((each: Json) => each.partner_foreign_key)).toEqual([
      `${key}-shell`,
      `${key}-typescript`,
      `${key}-python`,
    ]);
  });

  test('describes every operation', async () => {
    const { text } = await service.call('GET', '/docs');
    for (const { operation } of operations) {
      expect(text).toContain(`id="operation-${operation.operationId}"`);
    }
  });

  test('describes audience operations once, with both addresses', async () => {
    const { text } = await service.call('GET', '/docs');
    const section = text.split('>Audience ingest<').at(-1)!.split('<section')[0]!;
    expect(section.match(/<article /g)).toHaveLength(17);
    expect(section.match(/Also at/g)).toHaveLength(17);
  });

  test('describes the columns of CSV responses and bodies', async () => {
    const { text } = await service.call('GET', '/docs');
    for (const header of ['name,description,partnerkey', 'file,line,code,original']) {
      expect(text.toLowerCase()).toContain(`with the header <code>${header}</code>`);
    }
  });
});

function securityOf(name: string): object[] | undefined {
  const session = { session: [] };
  const path = name.split(' ')[1]!;
  if (name === 'post /v1/console/session' || path.includes('/password-links/')) return [];
  if (name === 'post /v1/console/audiences') return [session];
  if (/^\/v1\/console\/(sessions?\b|password|authorizations|apps)/.test(path)) {
    return [session];
  }
  if (path.startsWith('/admin/')) return [{ adminToken: [] }, session];
  if (/\/firstparty\/|\/console\/(audiences|segments)/.test(path)) {
    return [{ apiKey: [] }, { apiKey: [], userToken: [] }, session];
  }
  return path.startsWith('/v1/') ? [{ apiKey: [] }, session] : undefined;
}
