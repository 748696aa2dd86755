import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiLaunch, workerLaunch } from './role-process.ts';

test.each([
  ['api', apiLaunch],
  ['worker', workerLaunch],
])('tributary %s starts the role as the supervisor does', (role, { nodeOptions, env }) => {
  const command = readFileSync(new URL('../../bin/tributary', import.meta.url), 'utf8');
  const [, branch] = new RegExp(`^  ${role}\\)(.+?);;`, 'ms').exec(command) ?? [];
  expect(branch).toContain(`options=${nodeOptions.join(' ')}`);
  for (const [name, value] of Object.entries(env)) {
    expect(branch).toContain(`export ${name}="\${${name}-${value}}"`);
  }
});
