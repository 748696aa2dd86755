import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteStream } from 'node:tty';
import { createStatusLine, type StatusLine } from '../output/status-line.ts';

const pollMs = 500;
const plainEveryMs = 5_000;
/** Longer than a restart of the service or of one of its processes. */
const unavailableLimitMs = 60_000;

/** Polls until `poll` returns a result. Each poll may show a status. */
export async function watch<T>(
  terminal: WriteStream,
  poll: (show: StatusLine['show']) => Promise<T | undefined>,
): Promise<T> {
  const line = createStatusLine(terminal, plainEveryMs);
  let answeredAt = performance.now();

  async function pollOnce(): Promise<T | undefined> {
    const result = await poll(line.show);
    answeredAt = performance.now();
    return result;
  }

  function tolerate(error: unknown): undefined {
    if (performance.now() - answeredAt > unavailableLimitMs) throw error;
    line.show('the service is unavailable, retrying');
  }

  try {
    // The first error is final: a wrong id or key does not become right.
    for (let result = await pollOnce(); ; result = await pollOnce().catch(tolerate)) {
      if (result !== undefined) return result;
      await sleep(pollMs);
    }
  } finally {
    line.end();
  }
}
