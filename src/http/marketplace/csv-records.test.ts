import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from './csv-records.ts';

function cellsOf(text: string) {
  return [...readCsv(text)].map((record) => ('cells' in record ? record.cells : record));
}

test('commas separate cells, line breaks separate records', () => {
  const expected = [
    ['a', 'b'],
    ['', 'd'],
    ['e', ''],
  ];
  expect(cellsOf('a,b\n,d\ne,')).toEqual(expected);
  expect(cellsOf('\ufeffa,b\r\n,d\r\ne,\r\n')).toEqual(expected);
  expect(cellsOf(' a ,\tb\n\n , d \n  \n"e","" ')).toEqual(expected);
  expect(cellsOf('')).toEqual([]);
});

test('a quoted cell may contain commas, quotes and line breaks', () => {
  expect(cellsOf('"a,b", "say ""hi"""\r\n"""","two\r\nlines"\r\n')).toEqual([
    ['a,b', 'say "hi"'],
    ['"', 'two\r\nlines'],
  ]);
  expect(cellsOf('a"b,c')).toEqual([['a"b', 'c']]);
});

test('the line of a record is the one on which it begins', () => {
  const records = [...readCsv('a\n\n"b\n\nb"\r\nc')];
  expect(records).toEqual([
    { line: 1, cells: ['a'] },
    { line: 3, cells: ['b\n\nb'] },
    { line: 6, cells: ['c'] },
  ]);
});

test('invalid quotes are reported with their line', () => {
  const faultOf = (text: string) => [...readCsv(text)].at(-1);
  expect(faultOf('a\n"b\nc')).toEqual({ line: 2, message: 'has an unclosed quote' });
  expect(faultOf('a\n"b"c')).toEqual({ line: 2, message: 'has text after a closing quote' });
  expect(faultOf('"a"\r')).toEqual({ line: 1, message: 'has text after a closing quote' });
});

test('every quoted cell is read back', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', '\n', '\r', 'ü', '\t') });
  const record = fc.array(cell, { minLength: 2, maxLength: 4 });
  const property = fc.property(
    fc.array(record),
    fc.constantFrom('\n', '\r\n'),
    (records, lineEnd) => {
      const quoted = records.map((cells) =>
        cells.map((value) => `"${value.replaceAll('"', '""')}"`).join(','),
      );
      const trimmed = records.map((cells) => cells.map((value) => value.trim()));
      expect(cellsOf(quoted.join(lineEnd))).toEqual(trimmed);
    },
  );
  fc.assert(property, { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 5_000 : 300 });
});
