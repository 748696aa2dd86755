import { expect, test } from 'vitest';
import { nextBefore, pageSize } from './grant-pages.ts';

test('after a full page comes another one, after a short page none', () => {
  const full = Array.from({ length: pageSize }, (_, index) => ({ grant_id: 500 - index }));
  expect(nextBefore([full])).toBe(500 - pageSize + 1);
  expect(nextBefore([full, [{ grant_id: 7 }]])).toBeUndefined();
  expect(nextBefore([full, []])).toBeUndefined();
  expect(nextBefore([[]])).toBeUndefined();
});
