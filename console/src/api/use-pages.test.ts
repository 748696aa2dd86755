import { expect, test } from 'vitest';
import { nextIn } from './use-pages.ts';

test('the next page begins where the Link header says', () => {
  expect(nextIn('</admin/v1/jobs?order=failures&limit=2&after=1-17>; rel="next"')).toBe('1-17');
  expect(nextIn(null)).toBeUndefined();
});
