import { deviceBytes } from '../../../domain/device-id.ts';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { swapWords } from '../devices/device-words.ts';
import { bytesOf } from './file-io.ts';
import { type PageTable, setPage, wordsPerPage } from './page-table.ts';
import { devicesPerPage, layOutPageHeader } from './run-file-format.ts';

/** Pages laid out one after the other in memory that is used again and again. */
export interface PageSink {
  /** Appends pages of these devices, which ascend; none if there are none. */
  add(devices: Uint32Array): void;
  readonly bytes: number;
  /** The bytes of all pages, good until the sink is emptied. */
  content(): Uint8Array;
  /** A copy of what there is of pages; offsets are those in the content. */
  table(): PageTable;
  /** The same of those that are added meanwhile. */
  collect(add: () => void): PageTable;
  empty(): void;
}

/** What a page has beside its devices is about 30 bytes. */
const headerBytes = 64;

export function createPageSink(): PageSink {
  let content = new Uint8Array(0);
  let table = new Uint32Array(0);
  let bytes = 0;
  let pages = 0;
  const scratch = new Uint32Array(devicesPerPage * wordsPerDevice);

  function makeRoom(devices: number): void {
    const more = Math.ceil(devices / devicesPerPage);
    const wanted = bytes + devices * deviceBytes + more * headerBytes;
    if (wanted > content.length) {
      const larger = new Uint8Array(Math.ceil(wanted * 1.125));
      larger.set(content.subarray(0, bytes));
      content = larger;
    }
    if ((pages + more) * wordsPerPage > table.length) {
      const larger = new Uint32Array((pages + more) * wordsPerPage * 2);
      larger.set(table);
      table = larger;
    }
  }

  return {
    add(devices) {
      makeRoom(devices.length / wordsPerDevice);
      for (let at = 0; at < devices.length; at += devicesPerPage * wordsPerDevice) {
        const end = Math.min(at + devicesPerPage * wordsPerDevice, devices.length);
        const words = scratch.subarray(0, end - at);
        words.set(devices.subarray(at, end));
        swapWords(words);
        const body = bytesOf(words);
        const header = layOutPageHeader(body);
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
