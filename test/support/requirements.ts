import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const checks = {
  root: () => process.getuid?.() === 0,
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
  chromium: () => chromiumOnPath() !== undefined,
  boto3: () => spawnSync('/usr/bin/python3', ['-c', 'import boto3']).status === 0,
};

export type Requirement = keyof typeof checks;

/** Where Debian installs its tools. Another tool of the same name may come first on the PATH. */
function hasDebians(tool: string): boolean {
  return existsSync(`/usr/bin/${tool}`);
}

/** Debian's Chromium, headless shell preferred: 21 tests took it 30 s of CPU, the full browser 82 s. */
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
    throw new Error(
      `the tests require ${missing.join(' and ')}, but this machine does not have it`,
    );
  }
  sayOnce(missing);
  return false;
}

/** Test processes learn from their environment what was already printed before they started. */
function sayOnce(missing: readonly Requirement[]): void {
  const said = process.env.SAID_TO_BE_MISSING?.split(' ') ?? [];
  const unsaid = missing.filter((name) => !said.includes(name));
  if (unsaid.length === 0) return;
  process.stderr.write(`skipping tests that need ${unsaid.join(' and ')}\n`);
  process.env.SAID_TO_BE_MISSING = [...said, ...unsaid].join(' ');
}
