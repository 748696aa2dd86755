import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const checks = {
  root: () => process.getuid?.() === 0,
  openssl: () => hasDebians('openssl'),
  nginx: () => existsSync('/usr/sbin/nginx'),
  curl: () => spawnSync('curl', ['--version']).status === 0,
  swift: () =>
    spawnSync(
      'which',
      ['account', 'container', 'object', 'proxy'].map((name) => `swift-${name}-server`),
    ).status === 0,
  aws: () => hasDebians('aws'),
  s3cmd: () => hasDebians('s3cmd'),
  rclone: () => hasDebians('rclone'),
  'clickhouse-server': () => existsSync('/usr/sbin/clickhouse-server'),
  zookeeper: () => existsSync('/usr/share/java/zookeeper.jar') && hasDebians('java'),
  chromium: () => chromiumOnPath() !== undefined,
  firefox: () => existsSync(firefox),
  libfaketime: () => findFaketime() !== undefined,
  prometheus: () => hasDebians('prometheus') && hasDebians('promtool'),
  python3: () => hasDebians('python3'),
  boto3: () => spawnSync('/usr/bin/python3', ['-c', 'import boto3']).status === 0,
};

export type Requirement = keyof typeof checks;

/** Checks the folder of Debian's tools. Another tool of the same name may come first on the PATH. */
function hasDebians(tool: string): boolean {
  return existsSync(`/usr/bin/${tool}`);
}

/** Debian's library that gives processes another clock. */
export function findFaketime(): string | undefined {
  const folders = readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'));
  const paths = folders.map((name) => join('/usr/lib', name, 'faketime', 'libfaketimeMT.so.1'));
  return paths.find(existsSync);
}

/** Debian's Firefox. */
export const firefox = '/usr/bin/firefox-esr';

/** Prefers the headless shell: for 21 tests it used 30 s of CPU, the full browser 82 s. */
export function chromiumOnPath(): string | undefined {
  return toolOnPath('chromium-headless-shell') ?? toolOnPath('chromium');
}

/** The path of a tool, as a shell finds it. */
function toolOnPath(tool: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, tool)).find(existsSync);
}

/**
 * Whether the machine has what a test needs. Missing tools are printed by name, and are an error if
 * everything is required (`TRIBUTARY_TEST_REQUIRE=all`, as in CI).
 */
export function machineHas(...names: Requirement[]): boolean {
  const missing = names.filter((name) => !checks[name]());
  if (missing.length === 0) return true;
  if (process.env.TRIBUTARY_TEST_REQUIRE === 'all') {
    throw new Error(`missing on this machine, but required by the tests: ${missing.join(', ')}`);
  }
  reportOnce(missing);
  return false;
}

/** Reports each missing tool once. Test processes inherit the list of reported tools. */
function reportOnce(missing: readonly Requirement[]): void {
  const reported = process.env.REPORTED_MISSING_TOOLS?.split(' ') ?? [];
  const unreported = missing.filter((name) => !reported.includes(name));
  if (unreported.length === 0) return;
  process.stderr.write(`skipping tests that need ${unreported.join(' and ')}\n`);
  process.env.REPORTED_MISSING_TOOLS = [...reported, ...unreported].join(' ');
}
