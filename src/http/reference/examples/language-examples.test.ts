import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { machineHas } from '../../../../test/support/requirements.ts';
import type { RequiredCredential } from '../document/credentials.ts';
import { pythonExample } from './python-example.ts';
import type { RequestExample } from './request-example.ts';
import { typescriptExample } from './typescript-example.ts';

const hostile = `it's "quoted" \${x} \`id\` \\ \n \u2028 {y} é 🙂`;

const credential: RequiredCredential = {
  name: 'apiKey',
  anchor: '',
  header: 'Authorization',
  prefix: 'Bearer {`$ ',
  variable: 'API_KEY',
  description: undefined,
};

const values = { 'a key': hostile, none: null, yes: true, no: false, list: [1, [], {}, -1.5] };

const request: RequestExample = {
  method: 'post',
  url: `http://127.0.0.1/it's`,
  credentials: [credential],
  headers: [['Idempotency-Key', `"it's"`]],
  body: { type: 'application/json', text: JSON.stringify(values) },
  answer: 'json',
};

const sent = {
  url: request.url,
  method: 'POST',
  headers: {
    authorization: 'Bearer {`$ secret',
    'idempotency-key': `"it's"`,
    'content-type': 'application/json',
  },
  body: values,
};

test('the TypeScript example sends the request, whatever characters it contains', async () => {
  let received: unknown;
  const fetch = async (url: string, { method, headers, body }: RequestInit) => {
    const names = Object.fromEntries(new Headers(headers));
    received = { url, method, headers: names, body: JSON.parse(String(body)) };
    return Response.json({});
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const silent = { log: () => {} };
  const program = new AsyncFunction('fetch', 'process', 'console', typescriptExample(request));
  await program(fetch, { env: { API_KEY: 'secret' } }, silent);
  expect(received).toEqual(sent);
});

test.runIf(machineHas('python3'))(
  'the Python example sends the request, whatever characters it contains',
  () => {
    const program = `
import io, json, os, sys, urllib.request
def opened(request):
    headers = {name.lower(): value for name, value in request.header_items()}
    print(json.dumps({"url": request.full_url, "method": request.method, "headers": headers, "body": json.loads(request.data)}))
    return io.BytesIO(b"{}")
urllib.request.urlopen = opened
exec(sys.stdin.buffer.read().decode())
`;
    const printed = execFileSync('/usr/bin/python3', ['-c', program], {
      input: pythonExample(request),
      env: { API_KEY: 'secret' },
      encoding: 'utf8',
    });
    expect(JSON.parse(printed.split('\n')[0] ?? '')).toEqual(sent);
  },
);

test('an example prints what the operation answers, and sends a file where the body is bytes', () => {
  const bytes = {
    ...request,
    body: { type: 'text/csv', text: undefined },
    answer: 'text',
  } as const;
  const upload = typescriptExample(bytes);
  expect(upload).toContain("body: await openAsBlob('devices.csv'),");
  expect(upload).toMatch(/console\.log\(await response\.text\(\)\);$/);
  expect(pythonExample(bytes)).toContain('data=Path("devices.csv").read_bytes(),');
  expect(pythonExample(bytes)).toMatch(/print\(response\.read\(\)\.decode\(\)\)$/);
  const bare = { ...bytes, method: 'get', body: undefined, headers: [], credentials: [] } as const;
  expect(typescriptExample({ ...bare, answer: 'none' })).toBe(
    `const response = await fetch('http://127.0.0.1/it\\'s');
if (!response.ok) throw new Error(await response.text());
console.log(response.status);`,
  );
});
