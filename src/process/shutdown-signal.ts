import type { Config } from '../config/config.ts';

/** For a process that nobody of ours supervises. */
export function whenToldToStop(
  { startedByNpm }: Pick<Config, 'startedByNpm'>,
  stop: () => void,
): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  if (startedByNpm) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), 1_000).unref();
  }
}
