import { execFile } from 'node:child_process';
import { checkout, type Service } from './service.ts';

export interface Ended {
  readonly code: number;
  readonly printed: string;
  readonly said: string;
}

/** The `tributary` command, not at a terminal, with nothing in its environment but what is given. */
export function tributary(
  service: Service,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['src/cli/tributary.ts', ...args],
      { cwd: checkout, env: { TRIBUTARY_URL: service.url, ...env } },
      (error, printed, said) => resolve({ code: Number(error?.code ?? 0), printed, said }),
    );
  });
}
