import { expect, test } from 'vitest';
import { keptInWords, storageUsed } from './storage-used.ts';

test('the bytes in use are shown with the quota, if there is one', () => {
  expect(storageUsed({ bytes: 1_536, quota: null })).toBe('1.5 KiB');
  expect(storageUsed({ bytes: 0, quota: 10 * 1024 ** 3 })).toBe('0 B of 10 GiB');
});

test('for how long files are kept is said in days', () => {
  expect(keptInWords(null)).toBe('Kept until they are deleted');
  expect(keptInWords(1)).toBe('Deleted a day after they were last loaded');
  expect(keptInWords(30)).toBe('Deleted 30 days after they were last loaded');
});
