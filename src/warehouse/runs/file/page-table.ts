import { wordsPerDevice } from '../../../domain/row-batch.ts';

/**
 * Pages as they were laid out, in one array of words that is easy to hand between threads: of each
 * its first and its last device, then its place.
 */
export type PageTable = Uint32Array;

export interface LaidOutPage {
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly offset: number;
  readonly bytes: number;
  readonly devices: number;
}

export const wordsPerPage = 2 * wordsPerDevice + 4;

const lastAt = wordsPerDevice;
const offsetAt = 2 * wordsPerDevice;
const bytesAt = offsetAt + 2;
const devicesAt = bytesAt + 1;

export function countPages(table: PageTable): number {
  return table.length / wordsPerPage;
}

export function pageAt(table: PageTable, page: number): LaidOutPage {
  const at = page * wordsPerPage;
  return {
    first: table.subarray(at, at + wordsPerDevice),
    last: table.subarray(at + lastAt, at + lastAt + wordsPerDevice),
    offset: table[at + offsetAt]! + table[at + offsetAt + 1]! * 2 ** 32,
    bytes: table[at + bytesAt]!,
    devices: table[at + devicesAt]!,
  };
}

export function setPage(table: PageTable, page: number, laidOut: LaidOutPage): void {
  const at = page * wordsPerPage;
  table.set(laidOut.first, at);
  table.set(laidOut.last, at + lastAt);
  setOffset(table, page, laidOut.offset);
  table[at + bytesAt] = laidOut.bytes;
  table[at + devicesAt] = laidOut.devices;
}

export function setOffset(table: PageTable, page: number, offset: number): void {
  const at = page * wordsPerPage + offsetAt;
  table[at] = offset % 2 ** 32;
  table[at + 1] = Math.floor(offset / 2 ** 32);
}
