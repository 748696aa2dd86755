import { closeSync, openSync } from 'node:fs';
import { messageOf } from '../../domain/errors.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import { createPageReader } from './file/page-reader.ts';
import { readIndexes } from './file/read-index.ts';

/** A run of a file, and whether its devices have lists of numbers. */
export type VerifiedRun = Pick<StagedRun, 'file' | 'firstRowGroup' | 'rowGroups' | 'devices'> & {
  readonly isProfile: boolean;
};

/** Reads every page of the runs in one file. Returns what is damaged, or null. Blocks. */
export function verifyRuns(path: string, runs: readonly VerifiedRun[]): string | null {
  const reader = createPageReader();
  const fd = openSync(path, 'r');
  try {
    for (const [n, index] of readIndexes(fd, runs).entries()) {
      const run = runs[n]!;
      const { file, firstRowGroup } = run;
      const readable = { fd, path, file, firstRowGroup, index };
      const lists = run.isProfile ? reader.readListIndex(readable, run) : null;
      for (let page = 0; page < index.pages; page++) {
        reader.readPage(readable, page);
        if (lists) reader.readLists({ ...readable, lists }, page);
      }
    }
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    reader.close();
    closeSync(fd);
  }
}
