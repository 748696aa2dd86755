import { describe, expect, it } from 'vitest';
import { refreshAfter } from './refreshing.ts';

describe('a report is reloaded', () => {
  it.each([
    [{ status: 0, isStale: undefined, isCounting: false }, 2_000],
    [{ status: 1, isStale: false, isCounting: false }, 2_000],
    [{ status: 2, isStale: true, isCounting: false }, 2_000],
    [{ status: 3, isStale: true, isCounting: false }, 2_000],
    [{ status: 2, isStale: false, isCounting: false }, 30_000],
    [{ status: 2, isStale: undefined, isCounting: false }, 30_000],
    [{ status: 3, isStale: false, isCounting: false }, 30_000],
    [{ status: 2, isStale: false, isCounting: true }, 2_000],
  ])('%j after %d ms', (freshness, afterMs) => {
    expect(refreshAfter(freshness)).toBe(afterMs);
  });
});
