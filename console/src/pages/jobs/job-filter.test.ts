import { expect, test } from 'vitest';
import { jobFilterIn, jobQuery, jobsPath } from './job-filter.ts';

test('a filter is kept in the address, without values that mean nothing', () => {
  const filter = { partner_id: '7', state: 'failed', since: '2026-01-31' } as const;
  const path = jobsPath(filter);
  expect(path).toBe('/console/operator/jobs?partner_id=7&state=failed&since=2026-01-31');
  expect(jobFilterIn(new URL(path, 'http://localhost').searchParams)).toEqual(filter);
  const nonsense = new URLSearchParams('partner_id=x&kind=clear&since=now&order=oldest&page=2');
  expect(jobFilterIn(nonsense)).toEqual({});
});

test('failures come first unless another order is chosen', () => {
  expect(jobQuery({ partner_id: '7' })).toEqual({ partner_id: 7, order: 'failures' });
  expect(jobQuery({ order: 'newest' })).toEqual({ order: 'newest' });
});
