import { expect, test } from 'vitest';
import { holdingsInWords } from './holdings.ts';

test('what a partner has is counted in words, without zeros', () => {
  const held = { api_keys: 1, apps: 0, open_jobs: 2, object_bytes: 2048 };
  expect(holdingsInWords(held)).toEqual([
    '1 API key',
    '2 pending or running jobs',
    '2 KiB of files',
  ]);
  expect(holdingsInWords({ users: 0 })).toEqual([]);
});
