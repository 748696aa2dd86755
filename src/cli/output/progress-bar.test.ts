import { expect, test } from 'vitest';
import { progressLine } from './progress-bar.ts';

const mebibyte = 1024 * 1024;

test('the bar shows the progress, the rate and the time left', () => {
  expect(progressLine(25 * mebibyte, 100 * mebibyte, 5)).toBe(
    '█████░░░░░░░░░░░░░░░ 25 %  25.0 MiB of 100.0 MiB, 5.0 MiB/s, 15 s left',
  );
});

test('without progress there is no time left', () => {
  expect(progressLine(0, mebibyte, 0)).toBe('░░░░░░░░░░░░░░░░░░░░ 0 %  0 B of 1.0 MiB, 0 B/s');
});

test('an empty file is complete', () => {
  expect(progressLine(0, 0, 0)).toContain('100 %');
});
