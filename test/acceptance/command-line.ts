import { execFile } from 'node:child_process';
import { checkout, type Service } from './service.ts';

export interface Ended {
  readonly code: number;
  readonly printed: string;
  readonly said: string;
}

/** Compiled once for all: that is more than half of what most commands take. */
export const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };

/** The `tributary` command, not at a terminal, with no settings in its environment but what is given. */
export function tributary(
  service: Service,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['src/cli/tributary.ts', ...args],
      { cwd: checkout, env: { ...compileCache, TRIBUTARY_URL: service.url, ...env } },
      (error, printed, said) => resolve({ code: Number(error?.code ?? 0), printed, said }),
    );
  });
}
