import { expect, test } from 'vitest';
import { nextBefore, pageSize } from './grant-pages.ts';

test('a full page is followed by another, and a short page is the last', () => {
  const full = Array.from({ length: pageSize }, (_, index) => ({ grant_id: 500 - index }));
  expect(nextBefore([full])).toBe(500 - pageSize + 1);
  expect(nextBefore([full, [{ grant_id: 7 }]])).toBeUndefined();
  expect(nextBefore([full, []])).toBeUndefined();
  expect(nextBefore([[]])).toBeUndefined();
});
