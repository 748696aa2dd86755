import { expect, test } from 'vitest';
import { csvLine } from './csv-line.ts';

test('cells are quoted only where necessary', () => {
  expect(csvLine(['a', 'b c', 7, ''])).toBe('a,b c,7,\r\n');
  expect(csvLine(['a,b', 'say "x"', 'two\nlines'])).toBe('"a,b","say ""x""","two\nlines"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＠x'])(
  'a cell that begins like the formula %j is prefixed with an apostrophe',
  (text) => {
    expect(csvLine([text])).toBe(`'${text}\r\n`);
  },
);

test.each([
  [';=1+1', `";'=1+1"`],
  ['a;=1+1;-2', `"a;'=1+1;'-2"`],
  ['; \u00a0@x', `"; \u00a0'@x"`],
  ['\t=1', `"'\t'=1"`],
  ['a\t+1', `"a\t'+1"`],
  ['  =1', `  '=1`],
  ['a\n=1', `"a\n'=1"`],
  ['a=1;b-2', '"a=1;b-2"'],
  ['a = 1', 'a = 1'],
])('a formula after a separator or blanks is disarmed: %j', (text, line) => {
  expect(csvLine([text])).toBe(`${line}\r\n`);
});

test('a quoted formula is prefixed with an apostrophe', () => {
  expect(csvLine(['=HYPERLINK("http://x","y"),z'])).toBe(`"'=HYPERLINK(""http://x"",""y""),z"\r\n`);
});

test('a number is unchanged, and null is an empty cell', () => {
  expect(csvLine([-1, null, 1e-9])).toBe('-1,,1e-9\r\n');
});
