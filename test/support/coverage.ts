import v8 from '@vitest/coverage-v8';

/**
 * V8 coverage, only for projects that ask for it, because everything runs slower with it: a loop over
 * an array takes five times as long.
 */
export default process.env.MEASURES_COVERAGE === '1' ? v8 : { getProvider: v8.getProvider };
