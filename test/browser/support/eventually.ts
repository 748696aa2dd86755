import { vi } from 'vitest';

/** Waits until what is expected holds. */
export function eventually(expectation: () => Promise<void>): Promise<void> {
  return vi.waitFor(expectation, { timeout: 10_000, interval: 50 });
}
