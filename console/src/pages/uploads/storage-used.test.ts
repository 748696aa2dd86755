import { expect, test } from 'vitest';
import { storageUsed } from './storage-used.ts';

test('the bytes in use are shown with the quota, if there is one', () => {
  expect(storageUsed({ bytes: 1_536, quota: null })).toBe('1.5 KiB');
  expect(storageUsed({ bytes: 0, quota: 10 * 1024 ** 3 })).toBe('0 B of 10 GiB');
});
