import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineHas } from '../support/requirements.ts';
import { runTool } from './s3-clients/storage-client.ts';
import { checkout, startService, temporaryFolder } from './service.ts';

const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let folder: AsyncDisposable & { path: string };
let packed: Packed;
let installed: string;

/** Installs what `npm pack` makes, below node_modules, where Node runs no TypeScript. */
beforeAll(async () => {
  folder = await temporaryFolder();
  await run(process.execPath, ['build-package.ts'], { cwd: checkout });
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path];
  const { stdout } = await run('npm', pack, { cwd: checkout });
  packed = JSON.parse(stdout)[0];
  installed = join(folder.path, 'node_modules', 'tributary');
  await mkdir(installed, { recursive: true });
  const tarball = join(folder.path, packed.filename);
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  await symlink(join(checkout, 'node_modules'), join(installed, 'node_modules'));
  // On a machine with 20 busy processes npm alone took over a minute.
});
afterAll(() => folder[Symbol.asyncDispose]());

test('the package has the program, the console, the documents and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  const alone = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
  const others = paths.filter(
    (path) => !alone.includes(path) && !/^(bin|deploy|dist|docs)\//.test(path),
  );
  expect(others).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining([...alone, 'bin/tributary']));
  expect(paths).toContain('dist/console/dist/index.html');
  const unwanted = /(\.ts|\/\.env|\.test\.js|\.map)$|testing|node_modules/;
  expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
});

test('its command runs on Node 24, whatever is on the PATH', async () => {
  const command = join(installed, 'bin/tributary');
  const env = { PATH: '/usr/bin:/bin' };
  const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  expect((await run(command, ['--version'], { env })).stdout).toBe(`${version}\n`);
  expect((await run(command, ['demo', '--help'], { env })).stdout).toMatch(/^tributary demo \[/);
});

test.runIf(machineHas('aws'))('the commands printed by its first start upload a file', async () => {
  await using service = await startService({
    dataDir: join(folder.path, 'data'),
    command: [join(installed, 'bin/tributary'), 'start'],
    firstStart: true,
  });
  const credentials = /^ {2}(export AWS_.*)$/m.exec(service.printed())?.[1];
  const upload = /^ {2}(aws s3 cp .*)$/m.exec(service.printed())?.[1];
  const example = /upload sandbox (\S+)$/m.exec(service.printed())?.[1] ?? '';
  const shell = (command: string) =>
    runTool(folder.path, 'env', ['sh', '-euc', `${credentials}\n${command}`]);

  await shell(upload?.replace('<file>', example) ?? 'false');

  const download = upload?.replace(/<file> (\S+)/, '$1devices.csv -') ?? 'false';
  expect(await shell(download)).toEqual(await readFile(example));

  const queue = /^ {2}(curl .* -d .*)$/m.exec(service.printed())?.[1] ?? 'false';
  expect(JSON.parse((await shell(queue)).toString())).toEqual({ import_log_id: 1 });
  const watch = /^ {2}(.*tributary logs --watch .*)$/m.exec(service.printed())?.[1] ?? 'false';
  const watched = await shell(`PATH="${join(installed, 'bin')}:$PATH"\n${watch}`);
  expect(watched.toString()).toMatch(/status +done\n[\s\S]*devices +1,000\n/);
});
