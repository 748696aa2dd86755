import { expect, test } from 'vitest';
import { isOnlyAbout } from './field-problems.ts';

test('a problem is only about fields if each of its errors points into one of them', () => {
  const about = (...pointers: string[]) => {
    const errors = pointers.map((pointer) => ({ pointer, message: 'is wrong' }));
    const problem = { title: 'Invalid input', detail: '', status: 400, errors };
    return isOnlyAbout(problem, ['name', 'redirect_uris']);
  };
  expect(about('/name')).toBe(true);
  expect(about('/redirect_uris/1', '/name')).toBe(true);
  expect(about('/redirect_uris/1', '/kind')).toBe(false);
  expect(about('/names')).toBe(false);
  expect(about('')).toBe(false);
  expect(about()).toBe(false);
  expect(isOnlyAbout(undefined, ['name'])).toBe(false);
});
