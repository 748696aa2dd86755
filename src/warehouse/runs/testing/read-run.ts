import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createPageReader } from '../file/page-reader.ts';
import { type RunPlace, readIndexes } from '../file/read-index.ts';
import type { ReadableRun } from '../file/readable-run.ts';
import { hexOf } from './rows.ts';

export function withOpenRun<T>(
  directory: string,
  { file, firstRowGroup, ...place }: RunPlace,
  use: (run: ReadableRun) => T,
): T {
  const path = join(directory, file);
  const fd = openSync(path, 'r');
  try {
    const [index] = readIndexes(fd, [{ file, firstRowGroup, ...place }]);
    return use({ fd, path, file, firstRowGroup, index: index! });
  } finally {
    closeSync(fd);
  }
}

/** The devices of a run, in stored order. */
export function readRun(directory: string, run: RunPlace): string[] {
  const reader = createPageReader();
  return withOpenRun(directory, run, (open) =>
    Array.from({ length: open.index.pages }, (_, page) =>
      hexOf(reader.readPage(open, page)),
    ).flat(),
  );
}
