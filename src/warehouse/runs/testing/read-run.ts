import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createPageReader } from '../file/page-reader.ts';
import { type RunPlace, readIndexes } from '../file/read-index.ts';
import { hexOf } from './rows.ts';

/** The devices of a run, in stored order. */
export function readRun(directory: string, run: RunPlace): string[] {
  const path = join(directory, run.file);
  const fd = openSync(path, 'r');
  try {
    const [index] = readIndexes(fd, [run]);
    const open = { fd, path, file: run.file, firstRowGroup: run.firstRowGroup, index: index! };
    const reader = createPageReader();
    const devices: string[] = [];
    for (let page = 0; page < index!.pages; page++) {
      for (const device of hexOf(reader.readPage(open, page))) devices.push(device);
    }
    return devices;
  } finally {
    closeSync(fd);
  }
}
