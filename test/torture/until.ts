import { setTimeout as sleep } from 'node:timers/promises';

/** Generous, because faults overlap and the machine may be busy. */
const patienceMs = 120_000;

/** Looks again and again until it sees something. Throws if that takes too long. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  everyMs = 100,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) {
      throw new Error(`timeout after ${patienceMs / 1000} seconds waiting for ${what}`);
    }
    await sleep(everyMs);
  }
}
