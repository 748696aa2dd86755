import { expect, test } from 'vitest';
import {
  type ImportProblem,
  keepFirst,
  shownValue,
  wholeImportProblem,
} from './import-problems.ts';

test('a short value is shown unchanged', () => {
  expect(shownValue('')).toBe('');
  expect(shownValue('é'.repeat(256))).toBe('é'.repeat(256));
});

test('a long value is cut to 256 whole characters', () => {
  expect(shownValue('x'.repeat(257))).toBe('x'.repeat(256));
  expect(shownValue(`x${'😀'.repeat(300)}`)).toBe(`x${'😀'.repeat(255)}`);
});

test('NUL, which the database cannot store, is replaced', () => {
  expect(shownValue('a\0b\0')).toBe('a\ufffdb\ufffd');
});

test('the first hundred kinds are kept in order', () => {
  const problems = Array.from({ length: 101 }, (_, i) => rejected(i));
  expect(keepFirst(problems)).toEqual(problems.slice(0, 100));
});

test('the problem that failed the import comes first and is always kept', () => {
  const problems = Array.from({ length: 150 }, (_, i) => rejected(i));
  const failure = wholeImportProblem('wrong_columns', 'why');
  expect(keepFirst([...problems, failure])).toEqual([failure, ...problems.slice(0, 99)]);
});

test('the same problems are kept if those of each file are added one after the other', () => {
  const failure = wholeImportProblem('wrong_columns', 'why');
  const files = Array.from({ length: 30 }, (_, n) =>
    [0, 1, 2, 3, 4].map((i) => rejected(5 * n + i)),
  );
  let kept: ImportProblem[] = [];
  for (const problems of [...files, [failure]]) kept = keepFirst([...kept, ...problems]);
  expect(kept).toEqual(keepFirst([...files.flat(), failure]));
});

function rejected(line: number): ImportProblem {
  return { ...wholeImportProblem('no_files', ''), code: 'malformed_id', line };
}

test('a problem of the whole import has no position in a file', () => {
  expect(wholeImportProblem('no_files', 'No file found.')).toEqual({
    code: 'no_files',
    message: 'No file found.',
    file: null,
    line: null,
    column: null,
    value: null,
    count: 1,
  });
});
