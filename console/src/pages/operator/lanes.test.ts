import { expect, test } from 'vitest';
import { totalOf, troubleOf, worstFirst } from './lanes.ts';
import type { Lane } from './wire.ts';

function lane(name: string, pending: number, running: number, ageSeconds: number): Lane {
  const oldest = {
    oldest_submitted_at: '2026-01-31T12:00:00.000Z',
    oldest_age_seconds: ageSeconds,
  };
  return { partner_id: 1, name, pending, running, ...oldest };
}

test.each([
  ['jobs that were just submitted', lane('a', 9, 0, 2), undefined],
  ['jobs of which none runs for a minute', lane('a', 1, 0, 60), 'stuck'],
  ['jobs of which one runs', lane('a', 9, 1, 60), undefined],
  ['one that has been running for a quarter of an hour', lane('a', 0, 1, 900), 'slow'],
  ['jobs that wait for hours while none runs', lane('a', 1, 0, 9_000), 'stuck'],
])('%s', (_what, each, trouble) => {
  expect(troubleOf(each)).toBe(trouble);
});

test('partners in trouble come first, and those that have waited longest', () => {
  const lanes = [
    lane('young', 1, 1, 3),
    lane('older', 1, 1, 30),
    lane('slow', 0, 1, 5_000),
    lane('stuck', 2, 0, 70),
    lane('stuck longer', 1, 0, 90),
  ];
  const names = worstFirst(lanes).map(({ name }) => name);
  expect(names).toEqual(['stuck longer', 'stuck', 'slow', 'older', 'young']);
  expect(totalOf(lanes)).toEqual({ pending: 5, running: 3, inTrouble: 3 });
});
