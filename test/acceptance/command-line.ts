import { execFile } from 'node:child_process';
import { programFile } from '../support/program.ts';
import { checkout, type Service } from './service.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Shared by all commands: compiling is more than half of the time of most. */
export const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };

/** Runs the `tributary` command without a terminal, and with only the given settings. */
export function tributary(
  service: Pick<Service, 'url'>,
  args: readonly string[],
  env: Record<string, string> = {},
  onStderr: (text: string) => void = () => {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programFile('src/cli/tributary.ts'), ...args],
      { cwd: checkout, env: { ...compileCache, TRIBUTARY_URL: service.url, ...env } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stderr?.on('data', onStderr);
  });
}
