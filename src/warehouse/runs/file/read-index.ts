import { fstatSync } from 'node:fs';
import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import { unreadableError } from './damage-error.ts';
import { readFully } from './file-io.ts';
import {
  joinIndexes,
  type PageIndex,
  parseFooter,
  parseRowGroupIndex,
  type RowGroupPlace,
} from './page-index.ts';

export type RunPlace = Pick<StagedRun, 'file' | 'firstRowGroup' | 'rowGroups' | 'devices'>;

/** Reads the page indexes of runs in one file. Blocks. */
export function readIndexes(fd: number, runs: readonly RunPlace[]): PageIndex[] {
  const footer = readFooter(fd, runs[0]!.file);
  return runs.map((run) => readIndex(fd, run, footer));
}

function readFooter(fd: number, file: string): RowGroupPlace[] {
  const lengthAndMagic = 8;
  try {
    const { size } = fstatSync(fd);
    if (size < lengthAndMagic) throw new Error('the file is too short');
    const end = new Uint8Array(lengthAndMagic);
    readFully(fd, end, size - lengthAndMagic);
    const bytes = new DataView(end.buffer).getUint32(0, true) + lengthAndMagic;
    if (bytes > size) throw new Error('the file is too short');
    const tail = new Uint8Array(bytes);
    readFully(fd, tail, size - bytes);
    return parseFooter(tail);
  } catch (error) {
    throw unreadableError({ file, firstRowGroup: null }, 'footer', error);
  }
}

function readIndex(fd: number, run: RunPlace, footer: readonly RowGroupPlace[]): PageIndex {
  const places = footer.slice(run.firstRowGroup, run.firstRowGroup + run.rowGroups);
  const devices = places.reduce((sum, place) => sum + place.devices, 0);
  if (places.length !== run.rowGroups || devices !== run.devices) {
    const expected = `${run.devices} devices in ${run.rowGroups} row groups`;
    const found = `${devices} in ${places.length} from row group ${run.firstRowGroup}`;
    const reason = new Error(`the manifest lists ${expected}, the file has ${found}`);
    throw unreadableError(run, 'footer', reason);
  }
  const indexes = places.map((place, number) => {
    try {
      const bytes = new Uint8Array(place.indexBytes);
      readFully(fd, bytes, place.indexOffset);
      return parseRowGroupIndex(bytes, place);
    } catch (error) {
      throw unreadableError(run, `page index of row group ${run.firstRowGroup + number}`, error);
    }
  });
  return joinIndexes(indexes);
}
