import { test as alone } from 'vitest';
import { startMarketplace } from './marketplace.ts';

/**
 * For files whose partners are independent: the files that run in one test process share a service,
 * because starting it takes longer than most tests.
 */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads a fixture's dependencies from the pattern.
export const test = alone.extend('shared', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const marketplace = await startMarketplace();
  onCleanup(() => marketplace[Symbol.asyncDispose]());
  return marketplace;
});
