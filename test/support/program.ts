import { join, resolve } from 'node:path';

const checkout = resolve(import.meta.dirname, '../..');

/**
 * The file of a program for Node. In a test run it is built, because it starts much faster. Outside of one,
 * and for tests of a checkout's commands, it is the source.
 */
export function programFile(source: 'src/cli/tributary.ts' | 'src/process/main.ts'): string {
  const built = process.env.TESTED_PROGRAM;
  return built ? join(built, source.replace(/\.ts$/, '.js')) : join(checkout, source);
}
