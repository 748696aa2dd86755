import { expect, test } from 'vitest';
import { card, table } from './print.ts';

test('a table aligns numbers and the given columns to the right', () => {
  const rows = [
    { name: 'autos', devices: 1_234, share: '3.1 %' },
    { name: 'x', devices: 5, share: null },
  ];
  expect(table(rows, 'none', ['share']).split('\n')).toEqual([
    'NAME   DEVICES  SHARE',
    'autos    1,234  3.1 %',
    'x            5      -',
  ]);
  expect(table([], 'none')).toBe('none');
});

test('control characters are escaped', () => {
  expect(card({ label: 'a\x1b[2J\u0007\x00\x9bb' })).toBe('label  a\\x1b[2J\\x07\\x00\\x9bb');
});
