import { expect, test } from 'vitest';
import { resolveKeys } from './resolve-keys.ts';

const segments = new Map([
  ['a', 10],
  ['A', 11],
  ['also a', 10],
  [' a', 12],
]);

function resolve(cell: string): unknown {
  return resolveKeys(cell, (key) => segments.get(key));
}

test('keys are compared by their exact characters', () => {
  expect(resolve('a|A| a')).toEqual([10, 11, 12]);
});

test('a segment occurs once, even if the cell names it several times or by different keys', () => {
  expect(resolve('a|A|a|also a')).toEqual([10, 11]);
});

test('an empty entry between two separators is ignored', () => {
  expect(resolve('|a||A|')).toEqual([10, 11]);
});

test.each(['', '|', '|||'])('%j names no key', (cell) => {
  expect(resolve(cell)).toEqual({ code: 'no_keys' });
});

test.each([
  ['b', 'b'],
  ['a|b|c', 'b'],
  ['a|a ', 'a '],
  [' ', ' '],
])('%j has the unknown key %j', (cell, key) => {
  expect(resolve(cell)).toEqual({ code: 'unknown_key', key });
});
