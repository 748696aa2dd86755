import { createGuessLimit } from '../../src/domain/guess-limit.ts';

/** More wrong credentials than any test sends, except those about the limit. */
export const manyGuesses = 1_000_000;

/** The guard of an S3 endpoint that refuses no network. */
export function openGuard() {
  return { guesses: createGuessLimit(manyGuesses), networkOf: () => 'a network' };
}
