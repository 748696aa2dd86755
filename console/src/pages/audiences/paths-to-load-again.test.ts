import { expect, test } from 'vitest';
import { pathsToLoadAgain } from './paths-to-load-again.ts';

const file = (s3_path: string, status: number) => ({ s3_path, status });
const audience = {
  status: 3,
  file: [file('p-1/a/1.csv', 2), file('p-1/a/2.csv', 3), file('p-1/b.csv', 3)],
};

test('the path of the latest load, if it failed, and failed files of earlier loads', () => {
  const latest = { state: 'failed', path: 'p-1/a/' } as const;
  expect(pathsToLoadAgain(audience, latest, 'p-1/')).toEqual(['a/', 'b.csv']);
});

test('only the failed files, if the latest load succeeded or is no longer known', () => {
  const latest = { state: 'done', path: 'p-1/a/' } as const;
  expect(pathsToLoadAgain(audience, latest, 'p-1/')).toEqual(['a/2.csv', 'b.csv']);
  expect(pathsToLoadAgain(audience, undefined, 'p-1/')).toEqual(['a/2.csv', 'b.csv']);
});

test('the path of a failed load that found no files', () => {
  const latest = { state: 'failed', path: 'p-1/none/' } as const;
  expect(pathsToLoadAgain({ status: 3, file: [] }, latest, 'p-1/')).toEqual(['none/']);
});

test('nothing, unless the audience failed', () => {
  expect(pathsToLoadAgain({ ...audience, status: 1 }, undefined, 'p-1/')).toEqual([]);
});
