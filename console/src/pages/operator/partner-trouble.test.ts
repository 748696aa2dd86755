import { expect, test } from 'vitest';
import { nearQuota } from './partner-trouble.ts';

test('a quota is nearly used up from nine tenths on', () => {
  expect(nearQuota({ what: 'rows', used: 899, quota: 1_000 })).toBe(false);
  expect(nearQuota({ what: 'rows', used: 900, quota: 1_000 })).toBe(true);
  expect(nearQuota({ what: 'rows', used: 0, quota: 0 })).toBe(true);
});
