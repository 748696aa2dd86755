import v8 from '@vitest/coverage-v8';

/**
 * V8's coverage, but only where a project asks for it: everything runs slower under it, and a loop
 * over an array takes five times as long.
 */
export default process.env.MEASURES_COVERAGE === '1' ? v8 : { getProvider: v8.getProvider };
