import { vi } from 'vitest';

/** Retries the expectation until it holds. */
export function eventually(expectation: () => Promise<void>): Promise<void> {
  return vi.waitFor(expectation, { timeout: 60_000, interval: 50 });
}
