import { crc32 } from '@node-rs/crc32';
import type { FileMetaData, RowGroup } from 'hyparquet';
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

const column = 'device';

export interface WrittenRowGroup {
  readonly devices: number;
  readonly offset: number;
  readonly bytes: number;
  /** Offsets are relative to the file. */
  readonly pages: PageTable;
}

/** `body` is the encoded devices of the page. */
export function encodePageHeader(body: Uint8Array): Uint8Array {
  const header = new ByteWriter(64);
  writePageHeader(header, {
    type: 'DATA_PAGE',
    uncompressed_page_size: body.length,
    compressed_page_size: body.length,
    crc: crc32(body) | 0,
    data_page_header: {
      num_values: body.length / deviceBytes,
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
  appendMetadata(out, {
    version: 2,
    // Readers trust min/max only if they can parse "<application> version <version>".
    created_by: 'tributary version 1',
    schema: [
      { name: 'devices', num_children: 1 },
      {
        name: column,
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: deviceBytes,
        repetition_type: 'REQUIRED',
        logical_type: { type: 'UUID' },
      },
    ],
    num_rows: BigInt(rowGroups.reduce((sum, rowGroup) => sum + rowGroup.devices, 0)),
    row_groups: described,
    metadata_length: 0,
  });
  return out.getBytes();
}

/** Appends the page index of a row group to `out`, and returns the row group's footer entry. */
function describeRowGroup(rowGroup: WrittenRowGroup, out: ByteWriter, base: number): RowGroup {
  const columnIndexAt = out.offset;
  const { bytes, columnIndexBytes } = encodePageIndex(rowGroup.pages);
  out.appendBytes(bytes);
  const offsetIndexAt = columnIndexAt + columnIndexBytes;
  const checksum = crc32(bytes);
  const { first } = pageAt(rowGroup.pages, 0);
  const { last } = pageAt(rowGroup.pages, countPages(rowGroup.pages) - 1);
  const size = BigInt(rowGroup.bytes);
  const rows = BigInt(rowGroup.devices);
  return {
    columns: [
      {
        file_offset: BigInt(rowGroup.offset),
        meta_data: {
          type: 'FIXED_LEN_BYTE_ARRAY',
          encodings: ['PLAIN'],
          path_in_schema: [column],
          codec: 'UNCOMPRESSED',
          num_values: rows,
          total_uncompressed_size: size,
          total_compressed_size: size,
          key_value_metadata: [{ key: indexChecksumKey, value: String(checksum) }],
          data_page_offset: BigInt(rowGroup.offset),
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
      },
    ],
    num_rows: rows,
    total_byte_size: size,
    total_compressed_size: size,
    file_offset: BigInt(rowGroup.offset),
    sorting_columns: [{ column_idx: 0, descending: false, nulls_first: false }],
  };
}

function appendMetadata(out: ByteWriter, metadata: FileMetaData): void {
  const written = new ByteWriter();
  writeMetadata(written, metadata);
  const stopAndLength = 1 + 4;
  const fields = written.getBytes().subarray(0, -stopAndLength);
  // writeMetadata does not support column_orders, without which readers must not use min and max. In
  // thrift it is the field after created_by: a list of one struct whose field 1 (TYPE_ORDER) is empty.
  const columnOrders = Uint8Array.of(0x19, 0x1c, 0x1c, 0x00, 0x00);
  const stop = Uint8Array.of(0x00);
  for (const part of [fields, columnOrders, stop]) out.appendBytes(part);
  out.appendUint32(fields.length + columnOrders.length + stop.length);
  out.appendBytes(parquetMagic);
}
