import { ArchiveFault } from './archive-fault.ts';
import { type ByteSource, readExactly } from './byte-source.ts';

/** A file in a ZIP archive. */
export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** CRC-32. */
  readonly checksum: number;
  /** Where its local header begins. */
  readonly headerAt: number;
}

/** An archive of DROP has at most a few files for each of six lists. */
const mostEntries = 1_000;
const mostDirectoryBytes = 1024 * 1024;
const endBytes = 22;
const mostCommentBytes = 65_535;
const endMark = 0x06054b50;
const wideLocatorBytes = 20;
const wideLocatorMark = 0x07064b50;
const wideEndBytes = 56;
const wideEndMark = 0x06064b50;
const entryBytes = 46;
const entryMark = 0x02014b50;
const localHeaderBytes = 30;
const full16 = 0xffff;
const full32 = 0xffffffff;
const wideField = 0x0001;

/**
 * The files of a ZIP archive, also of one with 64-bit sizes. Refuses archives that are encrypted, have
 * names with paths, or whose files overlap, as those of some bombs do.
 */
export async function readZipDirectory(file: ByteSource): Promise<ZipEntry[]> {
  const { entries, bytes, offset } = await findDirectory(file);
  if (entries > mostEntries || bytes > mostDirectoryBytes) {
    throw new ArchiveFault(`The archive has ${entries} files, more than any archive of DROP`);
  }
  const directory = await readExactly(file, offset, bytes);
  const found: ZipEntry[] = [];
  for (let at = 0, n = 0; n < entries; n += 1) {
    const { entry, end } = readEntry(directory, at);
    found.push(entry);
    at = end;
  }
  refuseDuplicates(found);
  refuseOverlaps(found, offset);
  return found;
}

interface Directory {
  readonly entries: number;
  readonly bytes: number;
  readonly offset: number;
}

async function findDirectory(file: ByteSource): Promise<Directory> {
  const tailBytes = Math.min(file.size, wideLocatorBytes + endBytes + mostCommentBytes);
  const tail = await readExactly(file, file.size - tailBytes, tailBytes);
  for (let at = tailBytes - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endMark) continue;
    if (at + endBytes + tail.readUInt16LE(at + 20) !== tailBytes) continue;
    const isWide =
      at >= wideLocatorBytes && tail.readUInt32LE(at - wideLocatorBytes) === wideLocatorMark;
    if (isWide) return wideDirectory(file, wide(tail, at - wideLocatorBytes + 8));
    if (tail.readUInt16LE(at + 4) !== 0) throw severalParts();
    return {
      entries: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
  }
  throw new ArchiveFault('The archive is cut off, or is not a ZIP file');
}

async function wideDirectory(file: ByteSource, at: number): Promise<Directory> {
  const end = await readExactly(file, at, wideEndBytes);
  if (end.readUInt32LE(0) !== wideEndMark) throw new ArchiveFault('The archive has no directory');
  if (end.readUInt32LE(16) !== 0) throw severalParts();
  return { entries: wide(end, 32), bytes: wide(end, 40), offset: wide(end, 48) };
}

function severalParts(): ArchiveFault {
  return new ArchiveFault('The archive is split into several files, which is not supported');
}

function readEntry(directory: Buffer, at: number): { entry: ZipEntry; end: number } {
  if (at + entryBytes > directory.length || directory.readUInt32LE(at) !== entryMark) {
    throw new ArchiveFault("The archive's directory is damaged");
  }
  const nameBytes = directory.readUInt16LE(at + 28);
  const extraAt = at + entryBytes + nameBytes;
  const extraEnd = extraAt + directory.readUInt16LE(at + 30);
  const end = extraEnd + directory.readUInt16LE(at + 32);
  if (end > directory.length) throw new ArchiveFault("The archive's directory is damaged");
  const name = directory.toString('latin1', at + entryBytes, extraAt);
  refusePath(name);
  const flags = directory.readUInt16LE(at + 8);
  if ((flags & 0b10_0000_0100_0001) !== 0) throw new ArchiveFault(`${name} is encrypted`);
  const method = directory.readUInt16LE(at + 10);
  if (method !== 0 && method !== 8) {
    throw new ArchiveFault(`${name} is compressed with method ${method}, which is not supported`);
  }
  const sizes = wideSizes(directory, at, extraAt, extraEnd);
  if (method === 0 && sizes.bytes !== sizes.compressedBytes) {
    throw new ArchiveFault("The archive's directory is damaged");
  }
  const checksum = directory.readUInt32LE(at + 16);
  return { entry: { name, isDeflated: method === 8, checksum, ...sizes }, end };
}

/** Sizes that do not fit into 32 bits are in an extra field, in this order. */
function wideSizes(
  directory: Buffer,
  at: number,
  extraAt: number,
  extraEnd: number,
): Pick<ZipEntry, 'bytes' | 'compressedBytes' | 'headerAt'> {
  let wideAt = findField(directory, extraAt, extraEnd);
  const size = (position: number) => {
    const short = directory.readUInt32LE(at + position);
    if (short !== full32 || wideAt === undefined) return short;
    wideAt += 8;
    if (wideAt > extraEnd) throw new ArchiveFault("The archive's directory is damaged");
    return wide(directory, wideAt - 8);
  };
  const bytes = size(24);
  const compressedBytes = size(20);
  const headerAt = size(42);
  const part = directory.readUInt16LE(at + 34);
  if (part !== 0 && part !== full16) throw severalParts();
  return { bytes, compressedBytes, headerAt };
}

function findField(directory: Buffer, start: number, end: number): number | undefined {
  for (let at = start; at + 4 <= end; at += 4 + directory.readUInt16LE(at + 2)) {
    if (directory.readUInt16LE(at) === wideField) return at + 4;
  }
  return undefined;
}

function wide(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (Number.isSafeInteger(value)) return value;
  throw new ArchiveFault("The archive's directory is damaged");
}

/** Nothing is ever written under such a name. A path shows that the archive is not one of DROP's. */
function refusePath(name: string): void {
  if (/^[\w. -]{1,255}$/.test(name) && !/^\.*$/.test(name)) return;
  throw new ArchiveFault(
    `The archive has a file with the name ${JSON.stringify(name.slice(0, 100))}. Its files must not be in folders`,
  );
}

function refuseDuplicates(entries: readonly ZipEntry[]): void {
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name)) throw new ArchiveFault(`The archive has two files with the name ${name}`);
    names.add(name);
  }
}

function refuseOverlaps(entries: readonly ZipEntry[], directoryAt: number): void {
  const inOrder = [...entries].sort((one, other) => one.headerAt - other.headerAt);
  for (const [n, { name, headerAt, compressedBytes }] of inOrder.entries()) {
    const end = headerAt + localHeaderBytes + name.length + compressedBytes;
    const next = inOrder[n + 1]?.headerAt ?? directoryAt;
    if (end > next) throw new ArchiveFault(`${name} overlaps with another file of the archive`);
  }
}
