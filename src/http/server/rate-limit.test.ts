import { expect, test, vi } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

test('the limit applies to the minute after the first request', () => {
  let time = 1_000;
  const limit = createRateLimit(2, () => time);
  expect(limit.count('API key 1')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 });
  time += 59_001;
  expect(limit.count('API key 1')).toEqual({ isAllowed: true, remaining: 0, resetSeconds: 1 });
  expect(limit.count('API key 1')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 1 });
  time += 998;
  expect(limit.count('API key 1')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
  time += 1;
  expect(limit.count('API key 1')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 });
});

test('the wait is never more than a minute', () => {
  const limit = createRateLimit(1);
  const waits = Array.from({ length: 1_000 }, (_, n) => limit.count(`API key ${n}`).resetSeconds);
  expect(Math.max(...waits)).toBe(60);
});

test('each key has its own limit', () => {
  const limit = createRateLimit(1, () => 0);
  expect(limit.count('API key 1').isAllowed).toBe(true);
  expect(limit.count('API key 1').isAllowed).toBe(false);
  expect(limit.count('API key 2').isAllowed).toBe(true);
});

test('windows are dropped after a minute, or beyond 100,000 callers', () => {
  let time = 0;
  const limit = createRateLimit(1, () => time);
  limit.count('first');
  for (let n = 1; n < 100_000; n++) limit.count(`network ${n}`);
  expect(limit.count('first').isAllowed).toBe(false);
  limit.count('one more');
  expect(limit.count('network 1').isAllowed).toBe(false);
  expect(limit.count('first').isAllowed).toBe(true);
  time += 60_000;
  expect(limit.count('network 99999').isAllowed).toBe(true);
});

test('a window ends after a minute even if the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const limit = createRateLimit(1);
    limit.count('API key 1');
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(60_000);
    expect(limit.count('API key 1').isAllowed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
