import { expect, test } from 'vitest';
import { totalOf, troubledPartners, troubleOf, worstFirst } from './lanes.ts';
import type { Lane } from './wire.ts';

function lane(name: string, pending: number, running: number, ageSeconds: number): Lane {
  const oldest = {
    oldest_submitted_at: '2026-01-31T12:00:00.000Z',
    oldest_age_seconds: ageSeconds,
  };
  return { partner_id: 1, name, pending, running, ...oldest };
}

test.each([
  ['just submitted', lane('a', 9, 0, 2), undefined],
  ['waiting for a minute, none running', lane('a', 1, 0, 60), 'stuck'],
  ['waiting for a minute, one running', lane('a', 9, 1, 60), undefined],
  ['running for 15 minutes', lane('a', 0, 1, 900), 'slow'],
  ['waiting for hours, none running', lane('a', 1, 0, 9_000), 'stuck'],
])('jobs %s', (_what, each, trouble) => {
  expect(troubleOf(each)).toBe(trouble);
});

test('stuck partners come first, then slow ones, each by the longest wait', () => {
  const lanes = [
    lane('young', 1, 1, 3),
    lane('older', 1, 1, 30),
    lane('slow', 0, 1, 5_000),
    lane('stuck', 2, 0, 70),
    lane('stuck longer', 1, 0, 90),
  ];
  const names = worstFirst(lanes).map(({ name }) => name);
  expect(names).toEqual(['stuck longer', 'stuck', 'slow', 'older', 'young']);
  expect(totalOf(lanes)).toEqual({ pending: 5, running: 3 });
});

test('partners with failed jobs have problems, also if their queue is empty', () => {
  const failed = { partner_id: 2, name: 'b', failed_jobs: 6, last_failed_at: '2026-01-31' };
  const queue = [lane('a', 1, 0, 70), { ...lane('c', 0, 1, 900), partner_id: 3 }];
  const troubled = troubledPartners({ queue, failures: [failed] });
  expect(troubled.map(({ name, failed_jobs, trouble }) => [name, failed_jobs, trouble])).toEqual([
    ['a', 0, 'stuck'],
    ['b', 6, undefined],
    ['c', 0, 'slow'],
  ]);
  expect(troubledPartners({ queue: [lane('a', 1, 1, 5)], failures: [] })).toEqual([]);
});
