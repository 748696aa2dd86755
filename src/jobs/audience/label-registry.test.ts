import { expect, test } from 'vitest';
import { createLabelRegistry } from './label-registry.ts';

test('new labels are numbered in order of occurrence, after the known ones', () => {
  const registry = createLabelRegistry(['open'], 10);
  expect(['install', 'open', 'install', 'buy'].map(registry.numberOf)).toEqual([1, 0, 1, 2]);
  expect(registry.labels()).toEqual(['open', 'install', 'buy']);
});

test('past the limit only known labels have a number', () => {
  const registry = createLabelRegistry(['a'], 2);
  expect(['b', 'c', 'a', 'b', 'c'].map(registry.numberOf)).toEqual([1, undefined, 0, 1, undefined]);
});

test('truncating removes labels and frees their numbers', () => {
  const registry = createLabelRegistry([], 2);
  registry.numberOf('a');
  registry.numberOf('b');
  registry.truncate(1);
  expect(['c', 'b', 'a'].map(registry.numberOf)).toEqual([1, undefined, 0]);
});
