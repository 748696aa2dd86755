import { crc32, deflateRawSync } from 'node:zlib';

/** A file for a ZIP archive, and what is wrong with it. */
export interface ZippedFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly isStored?: boolean;
  /** The sizes follow the content, as in an archive that is written as a stream. */
  readonly hasDescriptor?: boolean;
  /** Sizes in 64 bits. */
  readonly isWide?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly declaredBytes?: number;
  readonly declaredChecksum?: number;
  readonly localName?: string;
  /** Its directory entry refers to the content of the file before. */
  readonly sharesContent?: boolean;
}

interface Position {
  readonly at: number;
  readonly compressed: Uint8Array;
}

/** A ZIP archive. With `isWide`, its directory is found as in an archive of more than 4 GB. */
export function zip(
  files: readonly ZippedFile[],
  { comment = '', isWide = false }: { comment?: string; isWide?: boolean } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  let before: Position | undefined;
  const push = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  for (const file of files) {
    const content = Buffer.from(file.content);
    const compressed = file.isStored ? content : deflateRawSync(content);
    const position: Position = file.sharesContent && before ? before : { at, compressed };
    if (!file.sharesContent) {
      push(localHeader(file, content, compressed));
      push(compressed);
      if (file.hasDescriptor) push(descriptor(content, compressed));
    }
    directory.push(directoryEntry(file, content, position));
    before = position;
  }
  const start = at;
  for (const entry of directory) push(entry);
  const size = at - start;
  if (isWide) {
    const wideEnd = Buffer.alloc(56);
    wideEnd.writeUInt32LE(0x06064b50, 0);
    wideEnd.writeBigUInt64LE(44n, 4);
    for (const [offset, value] of [
      [24, files.length],
      [32, files.length],
      [40, size],
      [48, start],
    ] as const) {
      wideEnd.writeBigUInt64LE(BigInt(value), offset);
    }
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(at), 8);
    locator.writeUInt32LE(1, 16);
    push(wideEnd);
    push(locator);
  }
  const end = Buffer.alloc(22 + comment.length);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isWide ? 0xffff : files.length, 8);
  end.writeUInt16LE(isWide ? 0xffff : files.length, 10);
  end.writeUInt32LE(isWide ? 0xffffffff : size, 12);
  end.writeUInt32LE(isWide ? 0xffffffff : start, 16);
  end.writeUInt16LE(comment.length, 20);
  end.write(comment, 22, 'latin1');
  push(end);
  return Buffer.concat(parts);
}

function flagsOf({ flags = 0, hasDescriptor }: ZippedFile): number {
  return flags | (hasDescriptor ? 0x8 : 0);
}

function methodOf({ method, isStored }: ZippedFile): number {
  return method ?? (isStored ? 0 : 8);
}

function localHeader(file: ZippedFile, content: Buffer, compressed: Uint8Array): Buffer {
  const name = Buffer.from(file.localName ?? file.name);
  const header = Buffer.alloc(30 + name.length);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flagsOf(file), 6);
  header.writeUInt16LE(methodOf(file), 8);
  if (!file.hasDescriptor) {
    header.writeUInt32LE(crc32(content), 14);
    header.writeUInt32LE(compressed.length, 18);
    header.writeUInt32LE(content.length, 22);
  }
  header.writeUInt16LE(name.length, 26);
  name.copy(header, 30);
  return header;
}

function descriptor(content: Buffer, compressed: Uint8Array): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc32(content), 4);
  bytes.writeUInt32LE(compressed.length, 8);
  bytes.writeUInt32LE(content.length, 12);
  return bytes;
}

function directoryEntry(file: ZippedFile, content: Buffer, position: Position): Buffer {
  const name = Buffer.from(file.name);
  const bytes = file.declaredBytes ?? content.length;
  const sizes = [bytes, position.compressed.length, position.at];
  const extra = Buffer.alloc(file.isWide ? 28 : 0);
  if (file.isWide) {
    extra.writeUInt16LE(0x0001, 0);
    extra.writeUInt16LE(24, 2);
    for (const [n, size] of sizes.entries()) extra.writeBigUInt64LE(BigInt(size), 4 + n * 8);
  }
  const shown = file.isWide ? [0xffffffff, 0xffffffff, 0xffffffff] : sizes;
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(20, 6);
  entry.writeUInt16LE(flagsOf(file), 8);
  entry.writeUInt16LE(methodOf(file), 10);
  entry.writeUInt32LE(file.declaredChecksum ?? crc32(content), 16);
  entry.writeUInt32LE(shown[1]!, 20);
  entry.writeUInt32LE(shown[0]!, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(shown[2]!, 42);
  return Buffer.concat([entry, name, extra]);
}
