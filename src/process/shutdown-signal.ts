import type { Config } from '../config/config.ts';
import type { Shutdown } from '../supervisor/shutdown.ts';

/** The supervisor needs the rest of five seconds to kill what still runs. */
const orderlyStopMs = 3_500;
/** For a process that the kernel cannot end either, such as one that waits for a lost disk. */
const forcedStopMs = 1_200;
/** One Ctrl-C arrives several times: from the terminal, from npm, from the demo. */
const sameRequestMs = 500;

/**
 * A shutdown is requested by SIGINT, SIGTERM or SIGHUP, or because the npm that started this process
 * is gone. It is forced by a second signal or after three and a half seconds. Then the process exits, even if
 * something still runs.
 */
export function shutdownSignal({ startedByNpm }: Pick<Config, 'startedByNpm'>): Shutdown {
  const requested = new AbortController();
  const forced = new AbortController();
  let requestedAt = 0;

  function request(): void {
    if (requested.signal.aborted) {
      if (performance.now() - requestedAt > sameRequestMs) force('second signal');
      return;
    }
    requestedAt = performance.now();
    setTimeout(
      () => force(`no orderly stop within ${orderlyStopMs / 1000} seconds`),
      orderlyStopMs,
    ).unref();
    requested.abort();
  }

  function force(reason: string): void {
    setTimeout(() => process.exit(1), forcedStopMs).unref();
    forced.abort(new Error(reason));
  }

  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, request);
  if (startedByNpm) {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      request();
    }, 1_000).unref();
  }
  return { requested: requested.signal, forced: forced.signal };
}
