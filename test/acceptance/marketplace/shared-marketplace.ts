import { test as alone } from 'vitest';
import { startMarketplace } from './marketplace.ts';

/**
 * For files whose partners do not notice others: those that a process of the tests runs one after
 * the other share a service, for its start takes longer than most of their tests.
 */
// biome-ignore lint/correctness/noEmptyPattern: what a fixture needs of others is read off its text.
export const test = alone.extend('shared', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const marketplace = await startMarketplace();
  onCleanup(() => marketplace[Symbol.asyncDispose]());
  return marketplace;
});
