import type { Config } from '../config/config.ts';

/** Aborts on SIGINT, SIGTERM or SIGHUP, and when the npm that started this process is gone. */
export function shutdownSignal({ startedByNpm }: Pick<Config, 'startedByNpm'>): AbortSignal {
  const shutdown = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => shutdown.abort());
  }
  if (startedByNpm) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && shutdown.abort(), 1_000).unref();
  }
  return shutdown.signal;
}
