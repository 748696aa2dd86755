import { describe, expect, it } from 'vitest';
import {
  countsOf,
  importKind,
  kindWords,
  queuePosition,
  runningFigures,
  secondsRun,
  shareRead,
  subjectOf,
} from './job-words.ts';
import type { Job, Progress } from './jobs.ts';

const mib = 1024 ** 2;
const progress: Progress = {
  bytes_read: 25 * mib,
  bytes_total: 100 * mib,
  rows_read: 1_400_000,
  rows_per_second: 700_000,
  queue_position: 0,
  waiting_for: null,
  eta_seconds: 6,
};
const job: Job = {
  job_id: 7,
  kind: 'import',
  state: 'running',
  path: 'devices.csv',
  keys: null,
  key_count: null,
  audience: null,
  total_rows: 0,
  unique_devices: 0,
  problem: null,
  problem_count: 0,
  created_at: '2026-01-31T12:00:00.000Z',
  started_at: null,
  updated_at: '2026-01-31T12:00:00.000Z',
  progress,
};
const audience = { audience_id: 3, name: 'Spring', default_warehouse_segment_id: 9 };

describe('the subject of a job', () => {
  it('is a path, an audience or keys', () => {
    expect(subjectOf(job)).toBe('devices.csv');
    expect(subjectOf({ ...job, kind: 'audience', path: 'p/x', audience })).toBe('Spring');
    const deletion: Job = { ...job, kind: 'deletion', path: null, keys: ['autos'], key_count: 1 };
    expect(subjectOf(deletion)).toBe('autos');
    expect(subjectOf({ ...deletion, key_count: 1_235 })).toBe('autos and 1,234 more');
    const erasure: Job = { ...job, kind: 'erasure', path: null };
    expect(subjectOf(erasure)).toBe('Devices that must not be stored');
    expect(countsOf({ ...erasure, total_rows: 5, unique_devices: 4 })).toBe(
      '5 removed · 4 devices',
    );
  });

  it('comes with a word for the kind of job', () => {
    expect(kindWords({ kind: 'dry_run' })).toBe('Dry run');
    expect([0, 1, 2, 3].map((log_type) => importKind({ log_type }))).toEqual([
      'Import',
      'Deletion',
      'Dry run',
      'Erasure',
    ]);
  });
});

describe('a waiting job', () => {
  it('has a position in the queue', () => {
    const waiting = { ...progress, waiting_for: 6 };
    expect(queuePosition({ ...waiting, queue_position: 1 })).toBe('Next in the queue');
    expect(queuePosition({ ...waiting, queue_position: 2 })).toBe('Number 2 in the queue');
  });

  it('starts soon if no job is ahead of it', () => {
    expect(queuePosition({ ...progress, queue_position: 1 })).toBe('Starting soon');
  });
});

describe('a running job', () => {
  it('has figures for the finished and the remaining work', () => {
    expect(shareRead(progress)).toBe(0.25);
    const figures = runningFigures(progress);
    expect(figures[0]).toBe('1,400,000 rows');
    expect(figures[1]).toMatch(/^25.* of 100.*MiB$/);
    expect(figures[2]).toMatch(/^700K rows\/s$/);
    expect(figures[3]).toMatch(/^6 s left$/);
  });

  it('has no figures before its files are known, or if it has no files', () => {
    const unknown = { ...progress, bytes_read: 0, bytes_total: 0, rows_read: 0 };
    expect(shareRead(unknown)).toBeNull();
    expect(runningFigures(unknown)).toEqual([]);
  });

  it('has no estimate while the rate is unknown or once all is read', () => {
    expect(runningFigures({ ...progress, rows_per_second: null, eta_seconds: null })).toHaveLength(
      2,
    );
    const read = { ...progress, bytes_read: progress.bytes_total, eta_seconds: 0 };
    expect(runningFigures(read).slice(2)).toEqual(['finishing']);
  });
});

describe('a finished job', () => {
  it('has counts', () => {
    expect(countsOf({ ...job, total_rows: 1_200, unique_devices: 1_100 })).toBe(
      '1,200 rows · 1,100 devices',
    );
    expect(countsOf({ ...job, total_rows: 1, unique_devices: 1 })).toBe('1 row · 1 device');
    expect(countsOf({ ...job, kind: 'audience', total_rows: 5, unique_devices: null })).toBe(
      '5 rows',
    );
    expect(countsOf({ ...job, kind: 'deletion', total_rows: 5, unique_devices: 4 })).toBe(
      '5 removed · 4 devices',
    );
  });
});

it('counts the duration of a job until its last change, or until now', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const job = { started_at: at(5), updated_at: at(15) };
  const now = new Date(at(40));
  expect(secondsRun({ ...job, state: 'done' }, now)).toBe(10);
  expect(secondsRun({ ...job, state: 'running' }, now)).toBe(35);
  expect(secondsRun({ ...job, state: 'running' }, new Date(at(1)))).toBe(0);
  expect(secondsRun({ ...job, state: 'pending', started_at: null }, now)).toBeNull();
});
