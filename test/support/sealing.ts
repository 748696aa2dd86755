import { createSealing } from '../../src/records/database/sealing.ts';

/** A key is a key; that of the tests need not be secret. */
export const testSealing = createSealing(['the secret key of the tests, known to everybody']);
