import { spawnSync } from 'node:child_process';

const checks = {
  root: () => process.getuid?.() === 0,
  curl: () => spawnSync('curl', ['--version']).status === 0,
};

/**
 * Whether the machine has what a test needs. What is missing is said aloud by name, and is a
 * failure where everything is required (`TRIBUTARY_TEST_REQUIRE=all`, as in CI).
 */
export function machineHas(...names: (keyof typeof checks)[]): boolean {
  const missing = names.filter((name) => !checks[name]());
  if (missing.length === 0) return true;
  if (process.env.TRIBUTARY_TEST_REQUIRE === 'all') {
    throw new Error(`the tests require ${missing.join(' and ')}, which this machine lacks`);
  }
  process.stderr.write(`skipping tests that need ${missing.join(' and ')}\n`);
  return false;
}
