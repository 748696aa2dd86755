import { expect, test } from 'vitest';
import { appearanceOf, displayName, displayNamePattern } from './display-name.ts';

const pattern = new RegExp(displayNamePattern, 'u');

test.each(['acme', ' acme ', 'Äcme & Söhne', 'کافه\u200cها', '👩\u200d🚀', 'שלום', 'a'])(
  'the name %j is accepted',
  (name) => {
    expect(pattern.test(name)).toBe(true);
  },
);

test.each([
  ...[' ', '\u3000 ', 'a\nb', 'a\u0000', 'a\u0085', '\ud800', 'a\u2028b', 'a\u200bb'],
  ...['a\u202eb', '\u2066a', 'a\u200f', '\u061ca', '\ufeffa', 'a\u2060b'],
])('the name %j is refused', (name) => {
  expect(pattern.test(name)).toBe(false);
});

test('a name is stored trimmed and composed', () => {
  expect(displayName('  Cafe\u0301\u3000')).toBe('Café');
});

test.each([
  ['acme', 'Acme'],
  ['acme', ' a c-m.e '],
  ['acme', 'асmе'],
  ['acme', 'ACME'],
  ['acme', 'acrne'],
  ['Cafe', 'Café'],
  ['Paypal', 'PaypaI'],
  ['Paypal', 'Paypa1'],
  ['Google', 'G00gle'],
  ['acme', 'ａｃｍｅ'],
])('%j looks like %j', (one, other) => {
  expect(appearanceOf(other)).toBe(appearanceOf(one));
});

test.each([
  ['acme', 'acne'],
  ['Harbor Coffee', 'Harbor Tea'],
  ['acme 2', 'acme 3'],
])('%j does not look like %j', (one, other) => {
  expect(appearanceOf(other)).not.toBe(appearanceOf(one));
});
