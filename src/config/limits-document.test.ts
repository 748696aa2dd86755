import { expect, test } from 'vitest';
import { type Limit, limits } from '../domain/limits.ts';
import { limitsDocument } from './limits-document.ts';
import { type Setting, settings } from './settings.ts';

test('docs/limits.md describes every limit (-u writes it)', async () => {
  await expect(limitsDocument()).toMatchFileSnapshot('../../docs/limits.md');
});

test('the setting of a limit exists, and its default is the limit', () => {
  const all: Limit[] = Object.values(limits);
  const known: Record<string, Setting<unknown, unknown>> = settings;
  const set = all.filter(({ setting }) => setting !== undefined);
  expect(set.map(({ setting }) => known[setting!]?.whenUnset)).toEqual(set.map(({ most }) => most));
});
