import { crc32 } from '@node-rs/crc32';
import { type ColumnChunk, type FileMetaData, parquetMetadata } from 'hyparquet';
import { bisect, type DeviceRange } from '../devices/device-range.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { indexChecksumKey } from './run-file-format.ts';
import { listField, readThrift } from './thrift-reader.ts';

/** The page index of a run in memory: flat arrays with one entry per page, in one buffer. */
export interface PageIndex {
  readonly pages: number;
  /** The first and the last device of each page. */
  readonly spans: Uint32Array;
  readonly devices: Uint32Array;
  readonly offsets: Float64Array;
  readonly bytes: Uint32Array;
  /** The number of the first page of each row group. */
  readonly rowGroupStarts: readonly number[];
}

export const wordsPerSpan = 2 * wordsPerDevice;
export const bytesPerPage = 48;

/** The part of a row group's footer entry that the engine needs. */
export interface RowGroupPlace {
  readonly devices: number;
  readonly index: IndexPlace;
  /** Only in a profile. */
  readonly lists: IndexPlace | null;
}

/** Where the index of a column is. */
export interface IndexPlace {
  readonly offset: number;
  readonly bytes: number;
  /** The column index, if there is one, comes first; the offset index follows it. */
  readonly columnIndexBytes: number;
  readonly checksum: string;
}

/** `tail` is the end of the file, beginning with the footer. */
export function parseFooter(tail: Uint8Array): RowGroupPlace[] {
  const { buffer, byteOffset, byteLength } = tail;
  const metadata = parquetMetadata(
    buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
  );
  return metadata.row_groups.map(placeOf);
}

function placeOf({ columns, num_rows }: FileMetaData['row_groups'][number]): RowGroupPlace {
  const [devices, lists] = columns;
  return {
    devices: Number(num_rows),
    index: indexPlaceOf(devices),
    lists: lists ? indexPlaceOf(lists) : null,
  };
}

function indexPlaceOf(chunk: ColumnChunk | undefined): IndexPlace {
  const checksum = chunk?.meta_data?.key_value_metadata?.find(
    ({ key }) => key === indexChecksumKey,
  );
  const columnIndexBytes = chunk?.column_index_length ?? 0;
  return {
    offset: Number(chunk?.column_index_offset ?? chunk?.offset_index_offset),
    bytes: columnIndexBytes + (chunk?.offset_index_length ?? 0),
    columnIndexBytes,
    checksum: checksum?.value ?? 'none',
  };
}

/** Throws if the checksum does not match. */
export function parseRowGroupIndex(
  bytes: Uint8Array,
  { devices, index: { checksum, columnIndexBytes } }: RowGroupPlace,
): PageIndex {
  verify(bytes, checksum);
  const columnIndex = readThrift(bytes, 0);
  columnIndex.expectField(listField);
  const pages = columnIndex.listLength();
  const index = emptyIndex(pages, [0]);
  columnIndex.skip(pages);
  for (const offset of [0, wordsPerDevice]) {
    columnIndex.expectField(listField);
    columnIndex.listLength();
    for (let page = 0; page < pages; page++) {
      columnIndex.device(index.spans, page * wordsPerSpan + offset);
    }
  }
  const offsetIndex = readThrift(bytes, columnIndexBytes);
  offsetIndex.expectField(listField);
  offsetIndex.listLength();
  let firstRow = 0;
  for (let page = 0; page < pages; page++) {
    index.offsets[page] = offsetIndex.numberField();
    index.bytes[page] = offsetIndex.numberField();
    const row = offsetIndex.numberField();
    if (page > 0) index.devices[page - 1] = row - firstRow;
    firstRow = row;
    offsetIndex.skip(1);
  }
  if (pages > 0) index.devices[pages - 1] = devices - firstRow;
  return index;
}

/** Where the lists of each page of a profile are, in shared memory. */
export interface ListIndex {
  readonly offsets: Float64Array;
  readonly bytes: Uint32Array;
}

export function newListIndex(pages: number): ListIndex {
  return {
    offsets: new Float64Array(new SharedArrayBuffer(pages * Float64Array.BYTES_PER_ELEMENT)),
    bytes: new Uint32Array(new SharedArrayBuffer(pages * Uint32Array.BYTES_PER_ELEMENT)),
  };
}

/** Writes the places of a row group's lists to `into` from `page`, and returns the page after them. */
export function parseListIndex(
  bytes: Uint8Array,
  { checksum }: IndexPlace,
  into: ListIndex,
  page: number,
): number {
  verify(bytes, checksum);
  const offsetIndex = readThrift(bytes, 0);
  offsetIndex.expectField(listField);
  const end = page + offsetIndex.listLength();
  for (let at = page; at < end; at++) {
    into.offsets[at] = offsetIndex.numberField();
    into.bytes[at] = offsetIndex.numberField();
    offsetIndex.numberField();
    offsetIndex.skip(1);
  }
  return end;
}

function verify(bytes: Uint8Array, checksum: string): void {
  if (String(crc32(bytes)) !== checksum) throw new Error('checksum mismatch');
}

export function joinIndexes(indexes: readonly PageIndex[]): PageIndex {
  const only = indexes[0];
  if (indexes.length === 1 && only) return only;
  const starts: number[] = [];
  let pages = 0;
  for (const index of indexes) {
    starts.push(pages);
    pages += index.pages;
  }
  const joined = emptyIndex(pages, starts);
  for (const [group, index] of indexes.entries()) {
    const page = starts[group]!;
    joined.spans.set(index.spans, page * wordsPerSpan);
    joined.devices.set(index.devices, page);
    joined.offsets.set(index.offsets, page);
    joined.bytes.set(index.bytes, page);
  }
  return joined;
}

function emptyIndex(pages: number, rowGroupStarts: readonly number[]): PageIndex {
  return indexAt(new ArrayBuffer(pages * bytesPerPage), 0, pages, rowGroupStarts);
}

/** An index over memory that starts at byte `at`, a multiple of eight. */
export function indexAt(
  memory: ArrayBufferLike,
  at: number,
  pages: number,
  rowGroupStarts: readonly number[],
): PageIndex {
  const spansAt = at + pages * Float64Array.BYTES_PER_ELEMENT;
  const devicesAt = spansAt + pages * wordsPerSpan * Uint32Array.BYTES_PER_ELEMENT;
  const bytesAt = devicesAt + pages * Uint32Array.BYTES_PER_ELEMENT;
  return {
    pages,
    offsets: new Float64Array(memory, at, pages),
    spans: new Uint32Array(memory, spansAt, pages * wordsPerSpan),
    devices: new Uint32Array(memory, devicesAt, pages),
    bytes: new Uint32Array(memory, bytesAt, pages),
    rowGroupStarts,
  };
}

/** The memory of all arrays of an index. */
export function bytesOfIndex({ pages, offsets }: PageIndex): Uint8Array {
  return new Uint8Array(offsets.buffer, offsets.byteOffset, pages * bytesPerPage);
}

/** The pages that may hold devices of the range, from `begin` to before `end`. */
export function pagesWithin(
  { spans }: PageIndex,
  { from, until }: DeviceRange,
): { begin: number; end: number } {
  const lasts = wordsPerDevice;
  const begin = from ? bisect(spans, lasts, spans.length + lasts, wordsPerSpan, from) - lasts : 0;
  const end = until ? bisect(spans, 0, spans.length, wordsPerSpan, until) : spans.length;
  return { begin: begin / wordsPerSpan, end: end / wordsPerSpan };
}
