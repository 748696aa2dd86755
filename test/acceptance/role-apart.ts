import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programFile } from '../support/program.ts';
import { checkout, until } from './service.ts';

/** One process of a service without a supervisor. */
export interface RoleApart extends AsyncDisposable {
  readonly logged: () => string;
  readonly exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** `npx tributary api` or `npx tributary worker`, with these settings. */
export function launchRole(
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  code?: string,
): RoleApart {
  const program = code ? 'src/cli/tributary.ts' : programFile('src/cli/tributary.ts');
  return launch([process.execPath, program, ...command], settings, code);
}

export function launch(
  [file = '', ...argv]: readonly string[],
  settings: Readonly<Record<string, string>>,
  code = checkout,
): RoleApart {
  const { TRIBUTARY_TEST_REQUIRE: _, ...inherited } = process.env;
  const child = spawn(file, argv, {
    cwd: code,
    env: { ...inherited, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let logged = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    logged += text;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    logged: () => logged,
    exited,
    signal: (name) => child.kill(name),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** The same, once it is ready. */
export async function startRole(
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  code?: string,
): Promise<RoleApart> {
  const role = launchRole(command, settings, code);
  const ended = role.exited.then(() => {
    throw new Error(`${command.join(' ')} exited: ${role.logged()}`);
  });
  const ready = until(`${command.join(' ')} to be ready`, async () =>
    role.logged().includes('"ready"'),
  );
  await Promise.race([ready, ended]);
  ended.catch(() => {});
  return role;
}
