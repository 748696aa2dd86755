import { expect, test } from 'vitest';
import { card, table, time } from './print.ts';

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

test('a time is shown in the local time zone', () => {
  const moment = '2026-01-31T12:05:06.789Z';
  const zone = process.env.TZ;
  process.env.TZ = 'Asia/Kolkata';
  try {
    expect([time(moment), time(null)]).toEqual(['2026-01-31 17:35:06', null]);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('control characters are escaped', () => {
  expect(card({ label: 'a\x1b[2J\u0007\x00\x9bb' })).toBe('label  a\\x1b[2J\\x07\\x00\\x9bb');
});
