import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteStream } from 'node:tty';
import { createStatusLine, type StatusLine } from '../output/status-line.ts';

const lookEveryMs = 500;
const plainEveryMs = 5_000;
/** Longer than a service takes that was restarted, or one of whose processes was. */
const patienceMs = 60_000;

/** Looks again and again, each time showing how it stands, until what is looked for is there. */
export async function watch<T>(
  terminal: WriteStream,
  look: (show: StatusLine['show']) => Promise<T | undefined>,
): Promise<T> {
  const line = createStatusLine(terminal, plainEveryMs);
  let answeredAt = Date.now();

  async function lookOnce(): Promise<T | undefined> {
    const seen = await look(line.show);
    answeredAt = Date.now();
    return seen;
  }

  function unlessTooLong(error: unknown): undefined {
    if (Date.now() - answeredAt > patienceMs) throw error;
    line.show('the service does not answer, trying again');
  }

  try {
    // Asked once without patience: an id or a key that is wrong does not get better.
    for (let seen = await lookOnce(); ; seen = await lookOnce().catch(unlessTooLong)) {
      if (seen !== undefined) return seen;
      await sleep(lookEveryMs);
    }
  } finally {
    line.end();
  }
}
