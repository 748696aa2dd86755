import { deviceBytes } from '../../../domain/device-id.ts';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { swapWords } from '../devices/device-words.ts';
import { extendArray } from '../devices/grow-array.ts';
import { bytesOf } from './file-io.ts';
import { type PageTable, setPage, wordsPerPage } from './page-table.ts';
import { devicesPerPage, encodePageHeader } from './run-file-format.ts';

/** Encodes devices as pages, one after the other, in memory that it reuses. */
export interface PageSink {
  /** Appends ascending devices as pages. */
  add(devices: Uint32Array): void;
  readonly bytes: number;
  /** The bytes of all pages, valid until the sink is emptied. */
  content(): Uint8Array;
  /** A copy of the table of all pages. Offsets are relative to the content. */
  table(): PageTable;
  /** The same, only for the pages that the callback adds. */
  collect(add: () => void): PageTable;
  empty(): void;
}

/** An upper bound. The header of a page takes about 30 bytes. */
const headerBytes = 64;

/** `reserved`: its initial size in bytes. The system allocates the memory when it is written. */
export function createPageSink(reserved = 0): PageSink {
  let content = new Uint8Array(reserved);
  let table = new Uint32Array(0);
  let bytes = 0;
  let pages = 0;
  const scratch = new Uint32Array(devicesPerPage * wordsPerDevice);

  function reserve(devices: number): void {
    const more = Math.ceil(devices / devicesPerPage);
    content = extendArray(content, bytes, bytes + devices * deviceBytes + more * headerBytes);
    table = extendArray(table, pages * wordsPerPage, (pages + more) * wordsPerPage);
  }

  return {
    add(devices) {
      reserve(devices.length / wordsPerDevice);
      for (let at = 0; at < devices.length; at += devicesPerPage * wordsPerDevice) {
        const end = Math.min(at + devicesPerPage * wordsPerDevice, devices.length);
        const words = scratch.subarray(0, end - at);
        words.set(devices.subarray(at, end));
        swapWords(words);
        const body = bytesOf(words);
        const header = encodePageHeader(body);
        content.set(header, bytes);
        content.set(body, bytes + header.length);
        setPage(table, pages, {
          first: devices.subarray(at, at + wordsPerDevice),
          last: devices.subarray(end - wordsPerDevice, end),
          offset: bytes,
          bytes: header.length + body.length,
          devices: (end - at) / wordsPerDevice,
        });
        bytes += header.length + body.length;
        pages++;
      }
    },
    get bytes() {
      return bytes;
    },
    content: () => content.subarray(0, bytes),
    table: () => table.slice(0, pages * wordsPerPage),
    collect(add) {
      const begin = pages;
      add();
      return table.slice(begin * wordsPerPage, pages * wordsPerPage);
    },
    empty() {
      bytes = 0;
      pages = 0;
    },
  };
}
