import { crc32 } from 'node:zlib';
import { type FileMetaData, parquetMetadata, readColumnIndex, readOffsetIndex } from 'hyparquet';
import { decodeDevices, wordsPerDevice } from '../device-words.ts';
import { indexChecksumKey } from '../run-file-layout.ts';
import { bisect, type DeviceRange } from './device-range.ts';

/** Where the pages of a run lie and what they span, in flat arrays: 48 bytes a page. */
export interface PageIndex {
  readonly pages: number;
  /** Of each page its first and its last device. */
  readonly spans: Uint32Array;
  readonly devices: Uint32Array;
  readonly offsets: Float64Array;
  readonly bytes: Uint32Array;
  /** The number of the first page of each row group. */
  readonly rowGroupStarts: readonly number[];
}

export const wordsPerSpan = 2 * wordsPerDevice;

/** What the footer says of a row group, as far as the engine needs it. */
export interface RowGroupPlace {
  readonly devices: number;
  readonly indexOffset: number;
  /** The column index comes first, the offset index follows. */
  readonly columnIndexBytes: number;
  readonly indexBytes: number;
  readonly checksum: string;
}

/** `tail` is the end of the file, from where the footer begins. */
export function parseFooter(tail: Uint8Array): RowGroupPlace[] {
  const { buffer, byteOffset, byteLength } = tail;
  const metadata = parquetMetadata(
    buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
  );
  return metadata.row_groups.map(placeOf);
}

function placeOf({ columns, num_rows }: FileMetaData['row_groups'][number]): RowGroupPlace {
  const chunk = columns[0];
  const checksum = chunk?.meta_data?.key_value_metadata?.find(
    ({ key }) => key === indexChecksumKey,
  );
  const columnIndexBytes = chunk?.column_index_length ?? 0;
  return {
    devices: Number(num_rows),
    indexOffset: Number(chunk?.column_index_offset),
    columnIndexBytes,
    indexBytes: columnIndexBytes + (chunk?.offset_index_length ?? 0),
    checksum: checksum?.value ?? 'none',
  };
}

/** Throws if the checksum does not match. */
export function parseRowGroupIndex(bytes: Uint8Array, place: RowGroupPlace): PageIndex {
  if (String(crc32(bytes)) !== place.checksum) throw new Error('its checksum does not match');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const column = { name: 'device', type: 'FIXED_LEN_BYTE_ARRAY' } as const;
  const { min_values, max_values } = readColumnIndex({ view, offset: 0 }, column);
  const { page_locations } = readOffsetIndex({ view, offset: place.columnIndexBytes });
  const index = emptyIndex(page_locations.length, [0]);
  for (const [page, location] of page_locations.entries()) {
    const end = page_locations[page + 1]?.first_row_index ?? BigInt(place.devices);
    index.spans.set(decodeDevices(min_values[page] as Uint8Array), page * wordsPerSpan);
    index.spans.set(
      decodeDevices(max_values[page] as Uint8Array),
      page * wordsPerSpan + wordsPerDevice,
    );
    index.devices[page] = Number(end - location.first_row_index);
    index.offsets[page] = Number(location.offset);
    index.bytes[page] = location.compressed_page_size;
  }
  return index;
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
  return {
    pages,
    spans: new Uint32Array(pages * wordsPerSpan),
    devices: new Uint32Array(pages),
    offsets: new Float64Array(pages),
    bytes: new Uint32Array(pages),
    rowGroupStarts,
  };
}

/** The pages that may hold devices of the range: from `begin` to before `end`. */
export function pagesWithin(
  { spans }: PageIndex,
  { from, until }: DeviceRange,
): { begin: number; end: number } {
  const lasts = wordsPerDevice;
  const begin = from ? bisect(spans, lasts, spans.length + lasts, wordsPerSpan, from) - lasts : 0;
  const end = until ? bisect(spans, 0, spans.length, wordsPerSpan, until) : spans.length;
  return { begin: begin / wordsPerSpan, end: end / wordsPerSpan };
}
