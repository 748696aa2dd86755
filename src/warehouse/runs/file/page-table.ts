import { wordsPerDevice } from '../../../domain/row-batch.ts';

/**
 * Describes written pages in one array of words, which is cheap to send between threads. An entry has
 * the first and the last device of a page, its offset, bytes and number of devices.
 */
export type PageTable = Uint32Array;

export interface PageEntry {
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

export function pageAt(table: PageTable, page: number): PageEntry {
  const at = page * wordsPerPage;
  return {
    first: table.subarray(at, at + wordsPerDevice),
    last: table.subarray(at + lastAt, at + lastAt + wordsPerDevice),
    offset: table[at + offsetAt]! + table[at + offsetAt + 1]! * 2 ** 32,
    bytes: table[at + bytesAt]!,
    devices: table[at + devicesAt]!,
  };
}

export function setPage(table: PageTable, page: number, entry: PageEntry): void {
  const at = page * wordsPerPage;
  table.set(entry.first, at);
  table.set(entry.last, at + lastAt);
  setOffset(table, page, entry.offset);
  table[at + bytesAt] = entry.bytes;
  table[at + devicesAt] = entry.devices;
}

export function setOffset(table: PageTable, page: number, offset: number): void {
  const at = page * wordsPerPage + offsetAt;
  table[at] = offset % 2 ** 32;
  table[at + 1] = Math.floor(offset / 2 ** 32);
}
