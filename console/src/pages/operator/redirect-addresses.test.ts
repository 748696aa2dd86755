import { expect, test } from 'vitest';
import { addressesIn, addressFaults, reachOfLine } from './redirect-addresses.ts';

const text = '\n https://a.example/ \n\nhttps://a.example/\nhttp://b.example/\n';

function problemWith(...errors: { pointer: string; message: string }[]) {
  return { title: 'Invalid input', detail: '', status: 400, errors };
}

test('addresses are read from lines, without what is empty or stands there twice', () => {
  expect(addressesIn(text)).toEqual(['https://a.example/', 'http://b.example/']);
  expect(addressesIn(' \n')).toEqual([]);
});

test('a fault is told by the line that the address stands in', () => {
  const problem = problemWith(
    { pointer: '/name', message: 'is missing' },
    { pointer: '/redirect_uris/1', message: 'must begin with https://' },
    { pointer: '/redirect_uris', message: 'has too many' },
  );
  expect(addressFaults(problem, text)).toEqual([
    { line: 5, message: 'must begin with https://' },
    { line: undefined, message: 'has too many' },
  ]);
  expect(addressFaults(undefined, text)).toEqual([]);
});

test('a line is found in the text', () => {
  const [from, to] = reachOfLine(text, 5);
  expect(text.slice(from, to)).toBe('http://b.example/');
  expect(reachOfLine(text, 1)).toEqual([0, 0]);
});
