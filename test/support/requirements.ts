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

/** Where Debian installs its tools; another of the name may come first in the path. */
function hasDebians(tool: string): boolean {
  return existsSync(`/usr/bin/${tool}`);
}

/** Debian's Chromium, without windows if it is there so: 21 tests took that 30 s of CPU, and the whole browser 82. */
export function chromiumOnPath(): string | undefined {
  return toolOnPath('chromium-headless-shell') ?? toolOnPath('chromium');
}

/** Where a tool is, as a shell would find it. */
function toolOnPath(tool: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, tool)).find(existsSync);
}

/**
 * Whether the machine has what a test needs. What is missing is said aloud by name, and is a
 * failure where everything is required (`TRIBUTARY_TEST_REQUIRE=all`, as in CI).
 */
export function machineHas(...names: Requirement[]): boolean {
  const missing = names.filter((name) => !checks[name]());
  if (missing.length === 0) return true;
  if (process.env.TRIBUTARY_TEST_REQUIRE === 'all') {
    throw new Error(`the tests require ${missing.join(' and ')}, which this machine lacks`);
  }
  sayOnce(missing);
  return false;
}

/** What was said before the tests had processes of their own, those know by their environment. */
function sayOnce(missing: readonly Requirement[]): void {
  const said = process.env.SAID_TO_BE_MISSING?.split(' ') ?? [];
  const unsaid = missing.filter((name) => !said.includes(name));
  if (unsaid.length === 0) return;
  process.stderr.write(`skipping tests that need ${unsaid.join(' and ')}\n`);
  process.env.SAID_TO_BE_MISSING = [...said, ...unsaid].join(' ');
}
