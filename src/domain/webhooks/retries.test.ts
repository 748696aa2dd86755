import { expect, test } from 'vitest';
import { endpointPause, retryDelay } from './retries.ts';

test('retries follow the schedule of Standard Webhooks, with up to a tenth of jitter', () => {
  const delays = Array.from({ length: 10 }, (_, i) => retryDelay(i + 1, null, 0));
  expect(delays).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
  expect(retryDelay(2, null, 1)).toBeCloseTo(330);
});

test('a later Retry-After counts, up to about a day', () => {
  expect(retryDelay(1, 60, 0)).toBe(60);
  expect(retryDelay(2, 60, 0)).toBe(300);
  expect(retryDelay(1, 1_000_000, 0)).toBeCloseTo(95_040);
});

test('a receiver that is overloaded or does not answer is left alone for a while', () => {
  expect(endpointPause(500, 1, null)).toBe(0);
  expect(endpointPause(429, 1, null)).toBe(5);
  expect(endpointPause(502, 3, null)).toBe(20);
  expect(endpointPause(504, 2, null)).toBe(10);
  expect(endpointPause(null, 100, null)).toBe(300);
  expect(endpointPause(429, 1, 90)).toBe(90);
});
