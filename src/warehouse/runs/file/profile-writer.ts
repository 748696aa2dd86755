import { checkWhileWriting, noReserve } from '../../../domain/disk-reserve.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { createPageSink } from './page-sink.ts';
import {
  countPages,
  type PageEntry,
  pageAt,
  setOffset,
  setPage,
  wordsPerPage,
} from './page-table.ts';
import type { Pause } from './pause.ts';
import { numbersAt, type ProfileBatch } from './profile-lists.ts';
import type { WrittenRun } from './row-group-builder.ts';
import {
  devicesPerPage,
  devicesPerRowGroup,
  encodeFooter,
  encodePageHeader,
  parquetMagic,
  type WrittenRowGroup,
} from './run-file-format.ts';
import { createPendingFile } from './run-file-writer.ts';

/** Writes a profile: a file with one run, whose devices have lists. */
export interface ProfileWriter extends AsyncDisposable {
  add(batch: ProfileBatch, pause: Pause): Promise<void>;
  /** Makes the file durable and renames it to its final name. At least one device was added. */
  finish(): Promise<WrittenRun>;
}

/** Numbers in the lists of a page. Pages with long lists have fewer devices. */
const numbersPerPage = 1 << 17;
/** Bytes of lists in a row group, which is encoded in memory. */
const listBytesPerRowGroup = 16 * 1024 * 1024;

export async function createProfileWriter(
  directory: string,
  file: string,
  reserve = noReserve,
): Promise<ProfileWriter> {
  const pending = await createPendingFile(directory, file);
  const checkSpace = checkWhileWriting(reserve, 'maintenance');
  const rowGroups: WrittenRowGroup[] = [];
  let offset = 0;
  // The row group being encoded.
  const sink = createPageSink();
  let lists: Uint8Array[] = [];
  let listPages: PageEntry[] = [];
  let listBytes = 0;
  let devicesInGroup = 0;

  async function append(bytes: Uint8Array): Promise<void> {
    await checkSpace(bytes.length);
    await pending.handle.writeFile(bytes);
    offset += bytes.length;
  }

  function addPage(devices: Uint32Array, numbers: Uint16Array): void {
    const count = devices.length / wordsPerDevice;
    const body = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength).slice();
    const header = encodePageHeader(body, count);
    const bytes = header.length + body.length;
    listPages.push({
      first: devices.slice(0, wordsPerDevice),
      last: devices.slice(-wordsPerDevice),
      offset: listBytes,
      bytes,
      devices: count,
    });
    lists.push(header, body);
    listBytes += bytes;
    sink.add(devices);
    devicesInGroup += count;
  }

  /** Writes the devices of the row group, then their lists. */
  async function endRowGroup(): Promise<void> {
    if (devicesInGroup === 0) return;
    if (offset === 0) await append(parquetMagic);
    const pages = sink.table();
    for (let page = 0; page < countPages(pages); page++) {
      setOffset(pages, page, offset + pageAt(pages, page).offset);
    }
    const group = { devices: devicesInGroup, offset, bytes: sink.bytes, pages };
    await append(sink.content());
    const ofLists = new Uint32Array(listPages.length * wordsPerPage);
    for (const [page, entry] of listPages.entries()) {
      setPage(ofLists, page, { ...entry, offset: offset + entry.offset });
    }
    rowGroups.push({ ...group, lists: ofLists });
    for (const part of lists) await append(part);
    sink.empty();
    lists = [];
    listPages = [];
    listBytes = 0;
    devicesInGroup = 0;
  }

  return {
    async add({ devices, lists: numbers }, pause) {
      let number = 0;
      for (let at = 0; at < devices.length; ) {
        const first = at;
        const firstNumber = number;
        const end = Math.min(devices.length, at + devicesPerPage * wordsPerDevice);
        do {
          number += numbersAt(numbers, number);
          at += wordsPerDevice;
        } while (at < end && number + numbersAt(numbers, number) - firstNumber <= numbersPerPage);
        addPage(devices.subarray(first, at), numbers.subarray(firstNumber, number));
        const isFull = devicesInGroup > devicesPerRowGroup - devicesPerPage;
        if (!isFull && listBytes < listBytesPerRowGroup) continue;
        await endRowGroup();
        await pause();
      }
    },
    async finish() {
      await endRowGroup();
      const bytes = offset - parquetMagic.length;
      await append(encodeFooter(rowGroups, offset));
      await pending.finish();
      const devices = rowGroups.reduce((sum, rowGroup) => sum + rowGroup.devices, 0);
      return { firstRowGroup: 0, rowGroups: rowGroups.length, bytes, devices };
    },
    [Symbol.asyncDispose]: () => pending[Symbol.asyncDispose](),
  };
}
