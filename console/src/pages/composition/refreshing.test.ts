import { describe, expect, it } from 'vitest';
import { refreshAfter } from './refreshing.ts';

describe('a report is reloaded', () => {
  it.each([
    [{ status: 0, isStale: undefined }, 2_000],
    [{ status: 1, isStale: false }, 2_000],
    [{ status: 2, isStale: true }, 2_000],
    [{ status: 3, isStale: true }, 2_000],
    [{ status: 2, isStale: false }, 30_000],
    [{ status: 2, isStale: undefined }, 30_000],
    [{ status: 3, isStale: false }, 30_000],
  ])('%j after %d ms', (freshness, afterMs) => {
    expect(refreshAfter(freshness)).toBe(afterMs);
  });
});
