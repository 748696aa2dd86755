import { expect, test } from 'vitest';
import { addressErrors, addressesIn, rangeOfLine } from './redirect-addresses.ts';

const text = '\n https://a.example/ \n\nhttps://a.example/\nhttp://b.example/\n';

function problemWith(...errors: { pointer: string; message: string }[]) {
  return { title: 'Invalid input', detail: '', status: 400, errors };
}

test('each line is an address; empty and duplicate lines are skipped', () => {
  expect(addressesIn(text)).toEqual(['https://a.example/', 'http://b.example/']);
  expect(addressesIn(' \n')).toEqual([]);
});

test('an error is reported with the line of its address', () => {
  const problem = problemWith(
    { pointer: '/name', message: 'is missing' },
    { pointer: '/redirect_uris/1', message: 'must begin with https://' },
    { pointer: '/redirect_uris', message: 'has too many' },
  );
  expect(addressErrors(problem, text)).toEqual([
    { line: 5, message: 'must begin with https://' },
    { line: undefined, message: 'has too many' },
  ]);
  expect(addressErrors(undefined, text)).toEqual([]);
});

test('a line is found in the text', () => {
  const [from, to] = rangeOfLine(text, 5);
  expect(text.slice(from, to)).toBe('http://b.example/');
  expect(rangeOfLine(text, 1)).toEqual([0, 0]);
});
