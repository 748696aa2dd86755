import { checkWhileWriting, noReserve } from '../../../domain/disk-reserve.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { extendArray } from '../devices/grow-array.ts';
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
/** Bytes of a row group, which is encoded in memory. */
const bytesPerRowGroup = 8 * 1024 * 1024;

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
  const sink = createPageSink(bytesPerRowGroup);
  let scratch = new Uint8Array(0);
  let lists = new Uint8Array(bytesPerRowGroup);
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
    // A copy, because checksums are not computed over shared memory.
    scratch = extendArray(scratch, 0, numbers.byteLength);
    const body = scratch.subarray(0, numbers.byteLength);
    body.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    const header = encodePageHeader(body, count);
    const bytes = header.length + body.length;
    listPages.push({
      first: devices.slice(0, wordsPerDevice),
      last: devices.slice(-wordsPerDevice),
      offset: listBytes,
      bytes,
      devices: count,
    });
    lists = extendArray(lists, listBytes, listBytes + bytes);
    lists.set(header, listBytes);
    lists.set(body, listBytes + header.length);
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
    await append(lists.subarray(0, listBytes));
    sink.empty();
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
        if (sink.bytes + listBytes < bytesPerRowGroup) continue;
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
