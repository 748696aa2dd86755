import { expect, test } from 'vitest';
import { folderOf, nameOf, stepsTo } from './folders.ts';

test('a path has a folder and a name', () => {
  const paths = ['', 'a.csv', 'may/', 'may/1.csv', 'may/deep/', 'may//'];
  expect(paths.map(folderOf)).toEqual(['', '', 'may/', 'may/', 'may/deep/', 'may//']);
  expect(paths.map(nameOf)).toEqual(['', 'a.csv', 'may/', '1.csv', 'deep/', '/']);
});

test('the steps to a folder lead from the outermost one to itself', () => {
  expect(stepsTo('')).toEqual(['']);
  expect(stepsTo('may/deep/')).toEqual(['', 'may/', 'may/deep/']);
});
