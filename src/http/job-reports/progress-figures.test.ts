import { expect, test } from 'vitest';
import type { JobProgress } from '../../records/queue/job-progress.ts';
import { progressOnTheWire } from './progress-figures.ts';

const running: JobProgress = {
  state: 'running',
  bytesRead: 250,
  bytesTotal: 1_000,
  rowsRead: 5_000,
  startedAt: new Date('2026-01-31T12:00:00.000Z'),
  updatedAt: new Date('2026-01-31T12:00:02.500Z'),
  queuePosition: 0,
  waitingFor: null,
};

test('a running job has a pace and a time left', () => {
  expect(progressOnTheWire(running)).toEqual({
    bytes_read: 250,
    bytes_total: 1_000,
    rows_read: 5_000,
    rows_per_second: 2_000,
    queue_position: 0,
    waiting_for: null,
    eta_seconds: 8,
  });
});

test('a job that waits has neither', () => {
  const waiting: JobProgress = {
    ...running,
    state: 'pending',
    bytesRead: 0,
    bytesTotal: 0,
    rowsRead: 0,
    startedAt: null,
    queuePosition: 3,
    waitingFor: 41,
  };
  expect(progressOnTheWire(waiting)).toMatchObject({
    rows_per_second: null,
    eta_seconds: null,
    queue_position: 3,
    waiting_for: 41,
  });
});

test('a job that has just begun promises nothing yet', () => {
  const begun = { ...running, bytesRead: 0, rowsRead: 0 };
  expect(progressOnTheWire(begun)).toMatchObject({ rows_per_second: null, eta_seconds: null });
  const sameMoment = { ...running, updatedAt: running.startedAt! };
  expect(progressOnTheWire(sameMoment)).toMatchObject({ rows_per_second: null, eta_seconds: null });
});

test('a job that ended has nothing left, however far it came', () => {
  for (const state of ['done', 'failed'] as const) {
    expect(progressOnTheWire({ ...running, state, queuePosition: null })).toMatchObject({
      rows_per_second: 2_000,
      queue_position: null,
      eta_seconds: 0,
    });
  }
});

test('a file that grew meanwhile does not turn time back', () => {
  expect(progressOnTheWire({ ...running, bytesRead: 1_200 }).eta_seconds).toBe(0);
});
