import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { buildProgram } from './build-program.ts';

/** Builds the program that the tests of all projects start. */
export default async function setup({ config }: TestProject) {
  const target = config.env.TESTED_PROGRAM!;
  // The first project builds it for all.
  if (existsSync(target)) return;
  await buildProgram(target);
  return () => rm(target, { recursive: true, force: true });
}
