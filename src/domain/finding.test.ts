import { expect, test } from 'vitest';
import { failure, ok, warning, worstOf } from './finding.ts';

test('the worst finding counts', () => {
  const fine = ok('disk', 'half full');
  const soon = warning('disk', 'nearly full', 'Free space.');
  const bad = failure('disk', 'full', 'Free space.');
  expect(worstOf([])).toBe('ok');
  expect(worstOf([fine])).toBe('ok');
  expect(worstOf([fine, soon])).toBe('warning');
  expect(worstOf([bad, soon, fine])).toBe('failure');
  expect(fine.advice).toBeNull();
});
