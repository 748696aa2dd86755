import { expect, test } from 'vitest';
import { type JobProgressAnswer, jobProgressLine } from './job-progress.ts';

const running: JobProgressAnswer = {
  bytes_read: 25,
  bytes_total: 100,
  rows_read: 1_400_000,
  rows_per_second: 700_000,
  queue_position: 0,
  waiting_for: null,
  eta_seconds: 6,
};
const waiting = { ...running, bytes_read: 0, bytes_total: 0, rows_read: 0, rows_per_second: null };

test('a running job shows its progress, its rate and the time left', () => {
  expect(jobProgressLine(running)).toBe(
    '█████░░░░░░░░░░░░░░░ 25 %  1,400,000 rows, 700,000 rows/s, 6 s left',
  );
});

test('unknown figures are left out', () => {
  const begun = { ...running, bytes_read: 0, rows_read: 0, rows_per_second: null };
  expect(jobProgressLine({ ...begun, eta_seconds: null })).toBe('░░░░░░░░░░░░░░░░░░░░ 0 %  0 rows');
  expect(jobProgressLine({ ...waiting, eta_seconds: null })).toBe('running');
});

test('a waiting job shows what it waits for', () => {
  const next = { ...waiting, queue_position: 1, waiting_for: 41 };
  expect(jobProgressLine(next)).toBe('waiting for job 41');
  expect(jobProgressLine({ ...next, queue_position: 1_200 })).toBe(
    'waiting for job 41, position 1,200 in the queue',
  );
  expect(jobProgressLine({ ...next, waiting_for: null })).toBe('waiting to run');
});

test('the line of a large file fits into 80 columns', () => {
  const large = { ...running, rows_read: 100_000_000, rows_per_second: 2_800_000 };
  const line = jobProgressLine({ ...large, bytes_read: 100, eta_seconds: 3_000 });
  expect(line).toContain('100 %  100,000,000 rows, 2,800,000 rows/s, 50 min left');
  expect(line.length).toBeLessThan(80);
});
