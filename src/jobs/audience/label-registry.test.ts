import { expect, test } from 'vitest';
import { createLabelRegistry } from './label-registry.ts';

test('labels are numbered as they are met, after those already known', () => {
  const book = createLabelRegistry(['open'], 10);
  expect(['install', 'open', 'install', 'buy'].map(book.numberOf)).toEqual([1, 0, 1, 2]);
  expect(book.labels()).toEqual(['open', 'install', 'buy']);
});

test('past the limit only labels already met have a number', () => {
  const book = createLabelRegistry(['a'], 2);
  expect(['b', 'c', 'a', 'b', 'c'].map(book.numberOf)).toEqual([1, undefined, 0, 1, undefined]);
});

test('what a failed file brought is forgotten, and leaves its room to others', () => {
  const book = createLabelRegistry([], 2);
  book.numberOf('a');
  book.numberOf('b');
  book.truncate(1);
  expect(['c', 'b', 'a'].map(book.numberOf)).toEqual([1, undefined, 0]);
});
