import { describe, expect, test } from 'vitest';
import { bytes, count, counted, duration, percent, rate, relativeTime } from './format.ts';

test('counts have thousands separators', () => {
  expect(count(0)).toBe('0');
  expect(count(1234567)).toBe('1,234,567');
});

describe('a share', () => {
  test.each([
    [0, '0%'],
    [0.0001, '<0.1%'],
    [0.001, '0.1%'],
    [0.1234, '12.3%'],
    [0.5, '50.0%'],
    [0.999, '99.9%'],
    [0.9996, '>99.9%'],
    [1, '100%'],
  ])('%d is %s', (share, words) => {
    expect(percent(share)).toBe(words);
  });
});

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [1024 ** 2 - 1, '1 MiB'],
  [5 * 1024 ** 3, '5 GiB'],
  [3 * 1024 ** 6, '3,072 PiB'],
])('%d bytes are %s', (n, words) => {
  expect(bytes(n)).toBe(words);
});

test.each([
  [-1, '0 s'],
  [0, '0 s'],
  [0.4, '<1 s'],
  [0.6, '1 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [130, '2 min 10 s'],
  [3_600, '1 h'],
  [3_900, '1 h 5 min'],
  [273_600, '3 d 4 h'],
])('%d seconds are %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

test('a rate has three significant digits', () => {
  expect(rate(950)).toBe('950 rows/s');
  expect(rate(1_234_567)).toBe('1.23M rows/s');
});

test('a counted noun agrees with its number', () => {
  expect(counted(1, 'entry', 'entries')).toBe('1 entry');
  expect(counted(1_200, 'entry', 'entries')).toBe('1,200 entries');
});

describe('a relative time', () => {
  const now = new Date('2026-03-10T12:00:00Z');
  test.each([
    ['2026-03-10T12:00:03Z', 'just now'],
    ['2026-03-10T11:59:10Z', 'just now'],
    ['2026-03-10T11:57:30Z', '2 minutes ago'],
    ['2026-03-10T09:30:00Z', '2 hours ago'],
    ['2026-03-09T12:00:00Z', 'yesterday'],
    ['2026-03-01T12:00:00Z', '9 days ago'],
    ['2025-11-05T12:00:00Z', '5 Nov 2025'],
    ['2026-03-10T12:00:40Z', 'in a minute'],
    ['2026-03-10T23:10:00Z', 'in 11 hours'],
    ['2026-03-10T23:59:50Z', 'in 12 hours'],
  ])('%s is %s', (at, words) => {
    expect(relativeTime(new Date(at), now)).toBe(words);
  });
});
