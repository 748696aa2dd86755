import { fstatSync } from 'node:fs';
import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import { unreadableError } from './damage-error.ts';
import { readFully } from './file-io.ts';
import {
  type IndexPlace,
  joinIndexes,
  type ListIndex,
  newListIndex,
  type PageIndex,
  parseFooter,
  parseListIndex,
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
  const indexes = placesOf(run, footer).map((place, number) =>
    readVerified(fd, run, number, place.index, (bytes) => parseRowGroupIndex(bytes, place)),
  );
  return joinIndexes(indexes);
}

/** Reads where the lists of a profile's pages are. Blocks. */
export function readListIndex(fd: number, run: RunPlace, pages: number): ListIndex {
  const index = newListIndex(pages);
  let page = 0;
  for (const [number, { lists }] of placesOf(run, readFooter(fd, run.file)).entries()) {
    if (!lists) throw unreadableError(run, 'footer', new Error('a profile has a second column'));
    page = readVerified(fd, run, number, lists, (bytes) =>
      parseListIndex(bytes, lists, index, page),
    );
  }
  return index;
}

function placesOf(run: RunPlace, footer: readonly RowGroupPlace[]): readonly RowGroupPlace[] {
  const places = footer.slice(run.firstRowGroup, run.firstRowGroup + run.rowGroups);
  const devices = places.reduce((sum, place) => sum + place.devices, 0);
  if (places.length !== run.rowGroups || devices !== run.devices) {
    const expected = `${run.devices} devices in ${run.rowGroups} row groups`;
    const found = `${devices} in ${places.length} from row group ${run.firstRowGroup}`;
    const reason = new Error(`the manifest lists ${expected}, the file has ${found}`);
    throw unreadableError(run, 'footer', reason);
  }
  return places;
}

function readVerified<T>(
  fd: number,
  run: RunPlace,
  number: number,
  place: IndexPlace,
  parse: (bytes: Uint8Array) => T,
): T {
  try {
    const bytes = new Uint8Array(place.bytes);
    readFully(fd, bytes, place.offset);
    return parse(bytes);
  } catch (error) {
    throw unreadableError(run, `page index of row group ${run.firstRowGroup + number}`, error);
  }
}
