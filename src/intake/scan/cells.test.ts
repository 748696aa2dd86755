import { describe, expect, test } from 'vitest';
import { detectDelimiter, isBlank, splitCells } from './cells.ts';

describe('isBlank', () => {
  test.each(['', ' ', '\t', ' \t \t'])('%j is blank', (line) => {
    expect(isBlank(line)).toBe(true);
  });

  test.each([',', '""', '\r', ' a', '\u00a0'])('%j is not blank', (line) => {
    expect(isBlank(line)).toBe(false);
  });
});

describe('detectDelimiter', () => {
  test.each([
    ['a,b', ','],
    ['a\tb', '\t'],
    ['a,b\tc', ','],
    ['a\tb,c', '\t'],
    ['  "a,b"\tc', '\t'],
    ['"a\t""b",c', ','],
    ['\tb,c', '\t'],
    ['a', ','],
    ['"a', ','],
    ['"a\tb', ','],
  ])('%j is separated by %j', (line, delimiter) => {
    expect(detectDelimiter(line)).toBe(delimiter);
  });
});

describe('splitCells', () => {
  test.each([
    ['a,b', ['a', 'b']],
    ['a', ['a']],
    ['a,b,', ['a', 'b', '']],
    [',', ['', '']],
    ['a\tb,c', ['a\tb', 'c']],
    // Blanks: spaces and tabs, around a cell and around its quotes.
    [' a b\t,\t c ', ['a b', 'c']],
    [' ,\t', ['', '']],
    [' "a" ,\t"b"\t', ['a', 'b']],
    ['" a ","\tb"', [' a ', '\tb']],
    ['\u00a0a\r,b', ['\u00a0a\r', 'b']],
    // Quotes.
    ['"a,b","c"', ['a,b', 'c']],
    ['"a""b",""', ['a"b', '']],
    ['"""a""",""""', ['"a"', '"']],
    ['a"b,c"', ['a"b', 'c"']],
    ['a "b, c"', ['a "b', 'c"']],
  ])('reads %j', (line, cells) => {
    expect(splitCells(line, ',')).toEqual(cells);
  });

  test.each([
    ['a\tb', ['a', 'b']],
    ['\t', ['', '']],
    ['a,b\t c ', ['a,b', 'c']],
    ['a\t\tb', ['a', '', 'b']],
    ['"a\tb" \t "c"', ['a\tb', 'c']],
  ])('reads %j separated by tabs', (line, cells) => {
    expect(splitCells(line, '\t')).toEqual(cells);
  });

  test.each([
    ['"a,b', 1, '"a,b'],
    ['a, "b', 2, '"b'],
    ['a,"', 2, '"'],
    ['a,"b""', 2, '"b""'],
    ['"a"x,b', 1, '"a"x,b'],
    ['a,"b" "c"', 2, '"b" "c"'],
  ])('finds the broken quote of %j', (line, column, value) => {
    expect(splitCells(line, ',')).toEqual({ column, value });
  });
});
