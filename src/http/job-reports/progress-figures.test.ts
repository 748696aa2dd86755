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

test('a running job has a speed and an estimated time', () => {
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

test('a pending job has neither', () => {
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

test('a job that has just started has no estimate yet', () => {
  const begun = { ...running, bytesRead: 0, rowsRead: 0 };
  expect(progressOnTheWire(begun)).toMatchObject({ rows_per_second: null, eta_seconds: null });
  const sameMoment = { ...running, updatedAt: running.startedAt! };
  expect(progressOnTheWire(sameMoment)).toMatchObject({ rows_per_second: null, eta_seconds: null });
});

test('a finished job has no time left, whatever it has read', () => {
  for (const state of ['done', 'failed'] as const) {
    expect(progressOnTheWire({ ...running, state, queuePosition: null })).toMatchObject({
      rows_per_second: 2_000,
      queue_position: null,
      eta_seconds: 0,
    });
  }
});

test('a file that has grown does not make the estimate negative', () => {
  expect(progressOnTheWire({ ...running, bytesRead: 1_200 }).eta_seconds).toBe(0);
});
