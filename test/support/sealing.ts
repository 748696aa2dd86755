import { createSealing } from '../../src/records/database/sealing.ts';

/** The key of the tests need not be secret. */
export const testSecretKey = 'the secret key of the tests, known to everybody';
export const testSealing = createSealing([testSecretKey]);
