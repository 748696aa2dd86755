import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { createTributary, LoadFailed, ProblemError } from '../../../packages/client/src/index.ts';
import { machineHas } from '../../support/requirements.ts';
import { codeIn } from '../documented-code.ts';
import { checkout, temporaryFolder } from '../service.ts';
import type { Partner } from './marketplace.ts';
import { test } from './shared-marketplace.ts';

const run = promisify(execFile);
const device = (number: number) => `3f2504e0-4f89-41d3-9a0c-${String(number).padStart(12, '0')}`;

/** What npm packs, unpacked below the node_modules of a folder. */
async function install(folder: string): Promise<string[]> {
  const pack = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: join(checkout, 'packages/client') });
  const [packed] = JSON.parse(stdout);
  const installed = join(folder, 'node_modules/tributary-client');
  await mkdir(installed, { recursive: true });
  const archive = join(folder, packed.filename);
  await run('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
  await symlink(join(checkout, 'node_modules'), join(installed, 'node_modules'));
  return packed.files.map(({ path }: { path: string }) => path);
}

describe('the TypeScript client', () => {
  test('is packed with types, and its quick start runs word for word', async ({ shared }) => {
    const partner = await shared.partner();
    await using folder = await temporaryFolder();
    const files = await install(folder.path);
    expect(files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/openapi.d.ts']),
    );
    expect(files.filter((file) => !/^dist\/.*\.(js|d\.ts)$/.test(file))).toEqual([
      'README.md',
      'package.json',
    ]);
    const program = join(folder.path, 'first-import.ts');
    await writeFile(program, await codeIn('docs/clients.md', 'TypeScript', 'ts'));
    const { stdout } = await run(process.execPath, [program], {
      cwd: folder.path,
      env: { TRIBUTARY_URL: shared.service.url, TRIBUTARY_API_KEY: partner.apiKey },
    });
    expect(stdout).toBe('imported 1 devices\nloaded 1 devices, 1 with attributes\n');
    // On a machine with 20 busy processes npm alone took over a minute.
  });

  const clientOf = (url: string, { apiKey, storage }: Partner, fetch = globalThis.fetch) =>
    createTributary({ url, apiKey, storage, fetch });

  test('an interrupted upload continues, and the import has every row', async ({ shared }) => {
    const partner = await shared.partner('k');
    const parts: string[] = [];
    const counting: typeof fetch = async (input) => {
      const { method, url } = input as Request;
      const response = await fetch(input);
      if (method === 'PUT' && url.includes('partNumber') && response.ok) parts.push(url);
      return response;
    };
    const tributary = clientOf(shared.service.url, partner, counting);
    const row = `${device(1)},k\n`;
    const rows = Math.ceil((17 * 1024 ** 2) / row.length);
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'large.csv');
    await writeFile(file, row.repeat(rows));

    const interrupting = new AbortController();
    const first = tributary.upload(file, 'in (parts)/large.csv', {
      onProgress: () => interrupting.abort(new Error('interrupted')),
      signal: interrupting.signal,
    });
    await expect(first).rejects.toThrow();
    const before = parts.length;
    expect(before).toBeGreaterThan(0);

    const progress: number[] = [];
    const path = await tributary.upload(file, 'in (parts)/large.csv', {
      onProgress: (sent, total) => progress.push(sent / total),
    });
    expect(path).toBe('in (parts)/large.csv');
    expect(progress.at(-1)).toBe(1);
    // A part that was stored when the connection closed may not have been counted.
    expect(parts.length).toBeLessThanOrEqual(3);
    const log = await tributary.importAndWait({ file_path: path, key_type: 1 });
    expect(log).toMatchObject({ total_rows: String(rows), unique_devices: '1' });
  });

  test('a failed import and a failed file say why', async ({ shared }) => {
    const tributary = clientOf(shared.service.url, await shared.partner());
    const missing = tributary.importAndWait({ file_path: 'missing.csv', key_type: 1 });
    await expect(missing).rejects.toThrow(/missing\.csv/);
    await expect(missing).rejects.toThrow(LoadFailed);
    await tributary.upload(Buffer.from('a,b,c\n'), 'bad.csv');
    const failed = tributary.loadAudience({ name: 'Bad', file_path: 'bad.csv' });
    await expect(failed).rejects.toMatchObject({ name: 'LoadFailed', record: { status: 3 } });
  });

  test('files are appended to an audience, and lists are read page by page', async ({ shared }) => {
    const tributary = clientOf(shared.service.url, await shared.partner());
    await tributary.upload(Buffer.from(`${device(1)},\n`), 'week-1.csv');
    await tributary.upload(Buffer.from(`${device(2)},\n`), 'week-2.csv');
    const created = await tributary.loadAudience({ name: 'Weeks', file_path: 'week-1.csv' });
    const { audience_id } = created;
    const appended = await tributary.loadAudience({ audience_id, file_path: 'week-2.csv' });
    expect([created.unique_devices, appended.unique_devices]).toEqual([1, 2]);
    await tributary.loadAudience({ name: 'Others', file_path: 'week-1.csv' });
    const read = tributary.eachOf((page) =>
      tributary.api.GET('/v2/firstparty/audience', { params: { query: { limit: 1, ...page } } }),
    );
    const names = (await Array.fromAsync(read)).map(({ name }) => name);
    expect(names).toEqual(['Weeks', 'Others']);
    expect(await Array.fromAsync(tributary.audiences())).toHaveLength(2);
  });

  test('a refused request is an error with its code', async ({ shared }) => {
    const tributary = clientOf(shared.service.url, await shared.partner('taken'));
    const body = { name: 'Again', partner_foreign_key: 'taken' };
    const refused = tributary.answerOf(tributary.api.POST('/v1/marketplace/attribute', { body }));
    await expect(refused).rejects.toThrow(ProblemError);
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'foreign_key_taken' });
  });
});

const python = '/usr/bin/python3';
const pythonSource = join(checkout, 'clients/python');

/** Fails if a file is not valid for Python 3.9, the oldest version that is supported. */
const syntaxCheck = `
import ast, pathlib
for file in pathlib.Path(${JSON.stringify(pythonSource)}).rglob("*.py"):
    ast.parse(file.read_text(), str(file), feature_version=(3, 9))
`;

/** Builds an archive in a folder and prints its name. */
function build(kind: 'wheel' | 'sdist', folder: string, source = pythonSource) {
  const code = `import build_backend; print(build_backend.build_${kind}(${JSON.stringify(folder)}))`;
  return runPython(['-c', code], { cwd: source });
}

async function runPython(
  args: string[],
  options: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<string> {
  const env = { ...options.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout, stderr } = await run(python, args, { ...options, env });
  return (stdout || stderr).trim();
}

describe.runIf(machineHas('python3'))('the Python client', () => {
  test('is built as a wheel and a source archive, which give the same wheel', async () => {
    await using folder = await temporaryFolder();
    await runPython(['-c', syntaxCheck], { cwd: folder.path });
    const wheel = await readFile(join(folder.path, await build('wheel', folder.path)));
    const archive = await build('sdist', folder.path);
    expect(archive).toMatch(/^tributary_client-\d+\.\d+\.\d+\.tar\.gz$/);
    await run('tar', ['-xzf', archive], { cwd: folder.path });
    const again = join(folder.path, 'again');
    await mkdir(again);
    const source = join(folder.path, archive.replace('.tar.gz', ''));
    expect(await readFile(join(again, await build('wheel', again, source)))).toEqual(wheel);
    const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
    expect(archive).toContain(version);
  });

  test('passes its own tests, and its quick start runs word for word', async ({ shared }) => {
    await using folder = await temporaryFolder();
    const wheel = await build('wheel', folder.path);
    await runPython(['-m', 'zipfile', '-e', wheel, 'site'], { cwd: folder.path });
    const environment = ({ apiKey, storage }: Partner) => ({
      PYTHONPATH: join(folder.path, 'site'),
      TRIBUTARY_URL: shared.service.url,
      TRIBUTARY_API_KEY: apiKey,
      ACCESS_KEY_ID: storage.accessKeyId,
      SECRET_ACCESS_KEY: storage.secretAccessKey,
    });
    const program = await codeIn('docs/clients.md', 'Python', 'python');
    const printed = await runPython(['-c', program], {
      cwd: folder.path,
      env: environment(await shared.partner()),
    });
    expect(printed).toBe('imported 1 devices\nloaded 1 devices, 1 with attributes');
    const tests = ['-m', 'unittest', 'discover', '-s', join(pythonSource, 'tests')];
    const env = environment(await shared.partner('k'));
    // unittest does not fail if it finds no test.
    expect(await runPython(tests, { cwd: folder.path, env })).toMatch(/^Ran 1\d tests/m);
  });
});

test.runIf(machineHas('curl'))(
  'the nightly import with curl runs word for word',
  async ({ shared }) => {
    const partner = await shared.partner('k');
    await using folder = await temporaryFolder();
    const script = join(folder.path, 'nightly-import');
    await writeFile(script, await codeIn('docs/clients.md', 'A nightly import with curl', 'sh'));
    await chmod(script, 0o755);
    const file = join(folder.path, 'devices.csv');
    await writeFile(file, `id,attribute_ids\n${device(1)},k\n`);
    const night = (path: string) =>
      run(script, [path], {
        env: {
          PATH: process.env.PATH ?? '',
          TRIBUTARY_URL: shared.service.url,
          TRIBUTARY_API_KEY: partner.apiKey,
        },
      });
    const first = JSON.parse((await night(file)).stdout);
    expect(first).toMatchObject({ status: 2, unique_devices: '1' });
    expect(JSON.parse((await night(file)).stdout)).toEqual(first);
    const bad = join(folder.path, 'bad.csv');
    await writeFile(bad, await readFile(script));
    await expect(night(bad)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"status":3'),
    });
  },
);
