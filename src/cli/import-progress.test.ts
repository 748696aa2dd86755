import { expect, test } from 'vitest';
import { type ImportProgress, importProgressLine } from './import-progress.ts';

const running: ImportProgress = {
  bytes_read: 25,
  bytes_total: 100,
  rows_read: 1_400_000,
  rows_per_second: 700_000,
  queue_position: 0,
  waiting_for: null,
  eta_seconds: 6,
};
const waiting = { ...running, bytes_read: 0, bytes_total: 0, rows_read: 0, rows_per_second: null };

test('a job that runs says how far, how fast and how long still', () => {
  expect(importProgressLine(running)).toBe(
    '████████░░░░░░░░░░░░░░░░░░░░░░ 25 %  1,400,000 rows, 700,000 rows/s, 6 s left',
  );
});

test('what is not known yet is left out', () => {
  const begun = { ...running, bytes_read: 0, rows_read: 0, rows_per_second: null };
  expect(importProgressLine({ ...begun, eta_seconds: null })).toBe(
    '░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 %  0 rows',
  );
  expect(importProgressLine({ ...waiting, eta_seconds: null })).toBe('running');
});

test('a job that waits says behind what', () => {
  const next = { ...waiting, queue_position: 1, waiting_for: 41 };
  expect(importProgressLine(next)).toBe('waits behind job 41');
  expect(importProgressLine({ ...next, queue_position: 1_200 })).toBe(
    'waits behind job 41, number 1,200 in line',
  );
  expect(importProgressLine({ ...next, waiting_for: null })).toBe('waits for its turn');
});
