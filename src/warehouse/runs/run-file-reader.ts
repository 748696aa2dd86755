import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parquetMetadataAsync, type RowGroup, readColumnIndex, readOffsetIndex } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { deviceBytes } from '../../domain/device-id.ts';
import { codeOf, messageOf } from '../../domain/errors.ts';
import type { Run } from '../../records/manifest.ts';
import { decodeDevices } from './device-words.ts';
import { indexChecksumKey } from './run-file-layout.ts';

export interface RunReader {
  open(run: Run): Promise<OpenRun>;
}

export interface OpenRun extends AsyncDisposable {
  /** Ascending, as the devices in them. */
  readonly pages: readonly Page[];
  /** The devices of a page, verified against its checksum. */
  readPage(page: Page): Promise<Uint32Array>;
}

interface Page {
  /** Its first and its last device. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly devices: number;
  readonly offset: number;
  readonly bytes: number;
  /** For messages: "row group 2, page 7". */
  readonly label: string;
}

/** Reads each file's footer once; files are immutable, so what was read stays true. */
export function createRunReader(directory: string): RunReader {
  const footers = new Map<string, RowGroup[]>();

  async function openRun(run: Run): Promise<OpenRun> {
    const handle = await openFile(directory, run.file);
    try {
      let footer = footers.get(run.file);
      if (!footer) {
        footer = await readFooter(handle, run.file);
        footers.set(run.file, footer);
      }
      const pages = await readPageIndex(handle, run, footer);
      return {
        pages,
        readPage: (page) => readPage(handle, run.file, page),
        [Symbol.asyncDispose]: () => handle.close(),
      };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  return { open: openRun };
}

async function openFile(directory: string, file: string): Promise<FileHandle> {
  try {
    return await open(join(directory, file), 'r');
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'it is missing' : messageOf(error);
    throw new Error(`run file ${file}, which the manifest names, cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

async function readFooter(handle: FileHandle, file: string): Promise<RowGroup[]> {
  try {
    const { size } = await handle.stat();
    const metadata = await parquetMetadataAsync({
      byteLength: size,
      slice: async (start, end = size) => (await readBytes(handle, start, end - start)).buffer,
    });
    return metadata.row_groups;
  } catch (error) {
    throw unreadable(file, 'footer', messageOf(error), error);
  }
}

async function readPageIndex(handle: FileHandle, run: Run, footer: RowGroup[]): Promise<Page[]> {
  const end = run.firstRowGroup + run.rowGroups;
  const rowGroups = footer.slice(run.firstRowGroup, end);
  const devices = rowGroups.reduce((sum, rowGroup) => sum + Number(rowGroup.num_rows), 0);
  if (rowGroups.length !== run.rowGroups || devices !== run.devices) {
    const expected = `${run.devices} devices in row groups ${run.firstRowGroup} to ${end - 1}`;
    throw unreadable(run.file, 'footer', `the manifest says ${expected}, the file does not`);
  }
  const pages: Page[] = [];
  for (const [index, rowGroup] of rowGroups.entries()) {
    const label = `row group ${run.firstRowGroup + index}`;
    try {
      pages.push(...(await readRowGroupIndex(handle, rowGroup, label)));
    } catch (error) {
      throw unreadable(run.file, `page index of ${label}`, messageOf(error), error);
    }
  }
  return pages;
}

async function readRowGroupIndex(
  handle: FileHandle,
  rowGroup: RowGroup,
  label: string,
): Promise<Page[]> {
  const chunk = rowGroup.columns[0];
  const checksum = chunk?.meta_data?.key_value_metadata?.find(
    ({ key }) => key === indexChecksumKey,
  );
  const columnIndexBytes = chunk?.column_index_length ?? 0;
  // The two lie side by side, the column index first.
  const bytes = await readBytes(
    handle,
    Number(chunk?.column_index_offset),
    columnIndexBytes + (chunk?.offset_index_length ?? 0),
  );
  if (String(crc32(bytes)) !== checksum?.value) throw new Error('its checksum does not match');
  const view = new DataView(bytes.buffer);
  const device = { name: 'device', type: 'FIXED_LEN_BYTE_ARRAY' } as const;
  const { min_values, max_values } = readColumnIndex({ view, offset: 0 }, device);
  const { page_locations } = readOffsetIndex({ view, offset: columnIndexBytes });
  return page_locations.map((location, page) => ({
    first: decodeDevices(min_values[page] as Uint8Array),
    last: decodeDevices(max_values[page] as Uint8Array),
    devices: Number(
      (page_locations[page + 1]?.first_row_index ?? rowGroup.num_rows) - location.first_row_index,
    ),
    offset: Number(location.offset),
    bytes: location.compressed_page_size,
    label: `${label}, page ${page}`,
  }));
}

async function readPage(handle: FileHandle, file: string, page: Page): Promise<Uint32Array> {
  try {
    const bytes = await readBytes(handle, page.offset, page.bytes);
    const reader = { view: new DataView(bytes.buffer), offset: 0 };
    const header = deserializeTCompactProtocol(reader);
    const body = bytes.subarray(reader.offset);
    if (body.length !== page.devices * deviceBytes) throw new Error('it has another size');
    if (crc32(body) !== header.field_4 >>> 0) throw new Error('its checksum does not match');
    return decodeDevices(body);
  } catch (error) {
    throw unreadable(file, page.label, messageOf(error), error);
  }
}

async function readBytes(handle: FileHandle, offset: number, length: number) {
  const bytes = new Uint8Array(length);
  const { bytesRead } = await handle.read(bytes, 0, length, offset);
  if (bytesRead !== length) throw new Error('the file ends before it does');
  return bytes;
}

function unreadable(file: string, part: string, reason: string, cause?: unknown): Error {
  return new Error(`run file ${file} cannot be read: ${part}: ${reason}`, { cause });
}
