import { crc32 } from '@node-rs/crc32';
import type { ColumnChunk, FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { deviceBytes } from '../../../domain/device-id.ts';
import { encodeDevices } from '../devices/device-words.ts';
import { encodePageIndex } from './encode-page-index.ts';
import { countPages, type PageTable, pageAt } from './page-table.ts';

/** 64 KiB. A lookup of one device reads and verifies one page. */
export const devicesPerPage = 4096;

/**
 * 16 MiB, or 256 pages. Small enough to encode in memory, and for DuckDB or Spark to spread row groups
 * over cores. Large enough that a run of 100 million devices has only 96 row groups in the footer.
 */
export const devicesPerRowGroup = 256 * devicesPerPage;

/** Parquet has no checksum for the page index. The column metadata holds ours under this key. */
export const indexChecksumKey = 'tributary.page_index_crc32';

/** The first and the last bytes of a file. */
export const parquetMagic = new TextEncoder().encode('PAR1');

const deviceColumn = 'device';

/** The second column of a profile: the numbers of the runs that hold the device, two bytes each. */
const listColumn = 'runs';

export interface WrittenRowGroup {
  readonly devices: number;
  readonly offset: number;
  readonly bytes: number;
  /** Offsets are relative to the file. */
  readonly pages: PageTable;
  /** Only in a profile: the pages of the second column, with the same devices. */
  readonly lists?: PageTable;
}

/** `body` is the encoded devices of the page, or their lists. */
export function encodePageHeader(
  body: Uint8Array,
  devices = body.length / deviceBytes,
): Uint8Array {
  const header = new ByteWriter(64);
  writePageHeader(header, {
    type: 'DATA_PAGE',
    uncompressed_page_size: body.length,
    compressed_page_size: body.length,
    crc: crc32(body) | 0,
    data_page_header: {
      num_values: devices,
      encoding: 'PLAIN',
      definition_level_encoding: 'RLE',
      repetition_level_encoding: 'RLE',
    },
  });
  return header.getBytes();
}

/** Encodes everything after the row groups: the page indexes, then the footer. It begins at `offset`. */
export function encodeFooter(rowGroups: readonly WrittenRowGroup[], offset: number): Uint8Array {
  const out = new ByteWriter();
  const described = rowGroups.map((rowGroup) => describeRowGroup(rowGroup, out, offset));
  const columns: SchemaElement[] = [
    {
      name: deviceColumn,
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: deviceBytes,
      repetition_type: 'REQUIRED',
      logical_type: { type: 'UUID' },
    },
  ];
  if (rowGroups.some(({ lists }) => lists)) {
    columns.push({ name: listColumn, type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' });
  }
  appendMetadata(out, {
    version: 2,
    // Readers trust min/max only if they can parse "<application> version <version>".
    created_by: 'tributary version 1',
    schema: [{ name: 'devices', num_children: columns.length }, ...columns],
    num_rows: BigInt(rowGroups.reduce((sum, rowGroup) => sum + rowGroup.devices, 0)),
    row_groups: described,
    metadata_length: 0,
  });
  return out.getBytes();
}

/** Appends the page indexes of a row group to `out`, and returns the row group's footer entry. */
function describeRowGroup(rowGroup: WrittenRowGroup, out: ByteWriter, base: number): RowGroup {
  const columns = [describeDevices(rowGroup, out, base)];
  if (rowGroup.lists) columns.push(describeLists(rowGroup, rowGroup.lists, out, base));
  const size = columns.reduce(
    (sum, { meta_data }) => sum + (meta_data?.total_compressed_size ?? 0n),
    0n,
  );
  return {
    columns,
    num_rows: BigInt(rowGroup.devices),
    total_byte_size: size,
    total_compressed_size: size,
    file_offset: BigInt(rowGroup.offset),
    sorting_columns: [{ column_idx: 0, descending: false, nulls_first: false }],
  };
}

function describeDevices(rowGroup: WrittenRowGroup, out: ByteWriter, base: number): ColumnChunk {
  const columnIndexAt = out.offset;
  const { bytes, columnIndexBytes } = encodePageIndex(rowGroup.pages);
  out.appendBytes(bytes);
  const offsetIndexAt = columnIndexAt + columnIndexBytes;
  const { first } = pageAt(rowGroup.pages, 0);
  const { last } = pageAt(rowGroup.pages, countPages(rowGroup.pages) - 1);
  const rows = BigInt(rowGroup.devices);
  return {
    file_offset: BigInt(rowGroup.offset),
    meta_data: {
      type: 'FIXED_LEN_BYTE_ARRAY',
      path_in_schema: [deviceColumn],
      ...plainChunk(rows, rowGroup.offset, rowGroup.bytes, bytes),
      statistics: {
        null_count: 0n,
        distinct_count: rows,
        min_value: encodeDevices(first),
        max_value: encodeDevices(last),
        is_min_value_exact: true,
        is_max_value_exact: true,
      },
    },
    column_index_offset: BigInt(base + columnIndexAt),
    column_index_length: offsetIndexAt - columnIndexAt,
    offset_index_offset: BigInt(base + offsetIndexAt),
    offset_index_length: out.offset - offsetIndexAt,
  };
}

/** Lists have an offset index only, because nobody searches for a list. */
function describeLists(
  rowGroup: WrittenRowGroup,
  lists: PageTable,
  out: ByteWriter,
  base: number,
): ColumnChunk {
  const offsetIndexAt = out.offset;
  const encoded = encodePageIndex(lists);
  const bytes = encoded.bytes.subarray(encoded.columnIndexBytes);
  out.appendBytes(bytes);
  const first = pageAt(lists, 0);
  const last = pageAt(lists, countPages(lists) - 1);
  const size = last.offset + last.bytes - first.offset;
  return {
    file_offset: BigInt(first.offset),
    meta_data: {
      type: 'BYTE_ARRAY',
      path_in_schema: [listColumn],
      ...plainChunk(BigInt(rowGroup.devices), first.offset, size, bytes),
    },
    offset_index_offset: BigInt(base + offsetIndexAt),
    offset_index_length: bytes.length,
  };
}

function plainChunk(rows: bigint, offset: number, bytes: number, index: Uint8Array) {
  const size = BigInt(bytes);
  return {
    encodings: ['PLAIN' as const],
    codec: 'UNCOMPRESSED' as const,
    num_values: rows,
    total_uncompressed_size: size,
    total_compressed_size: size,
    key_value_metadata: [{ key: indexChecksumKey, value: String(crc32(index)) }],
    data_page_offset: BigInt(offset),
  };
}

function appendMetadata(out: ByteWriter, metadata: FileMetaData): void {
  const written = new ByteWriter();
  writeMetadata(written, metadata);
  const stopAndLength = 1 + 4;
  const fields = written.getBytes().subarray(0, -stopAndLength);
  // writeMetadata does not support column_orders, without which readers must not use min and max. In
  // thrift it is the field after created_by: a list with a struct for each column, whose field 1
  // (TYPE_ORDER) is empty.
  const columns = metadata.schema.length - 1;
  const typeOrder = [0x1c, 0x00, 0x00];
  const orders = Array.from({ length: columns }, () => typeOrder).flat();
  const columnOrders = Uint8Array.of(0x19, (columns << 4) | 0x0c, ...orders);
  const stop = Uint8Array.of(0x00);
  for (const part of [fields, columnOrders, stop]) out.appendBytes(part);
  out.appendUint32(fields.length + columnOrders.length + stop.length);
  out.appendBytes(parquetMagic);
}
