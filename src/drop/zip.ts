import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { messageOf } from '../domain/errors.ts';
import { expansionFactor, limits } from '../domain/limits.ts';
import { ArchiveFault } from './archive-fault.ts';
import { type ByteSource, readExactly, streamExactly } from './byte-source.ts';
import type { ZipEntry } from './zip-directory.ts';

const localHeaderBytes = 30;
const localHeaderMark = 0x04034b50;
const inflatedChunkBytes = 256 * 1024;

/** The content of an entry, as a stream. Throws ArchiveFault unless it has the size and checksum declared. */
export async function* readZipEntry(file: ByteSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  refuseBomb(entry);
  let bytes = 0;
  let checksum = 0;
  for await (const chunk of contentOf(file, entry)) {
    bytes += chunk.length;
    if (bytes > entry.bytes) break;
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (bytes !== entry.bytes || checksum !== entry.checksum) {
    throw new ArchiveFault(
      `${entry.name} is damaged: its size or checksum differs from the directory of the archive`,
    );
  }
}

function refuseBomb({ name, bytes, compressedBytes }: ZipEntry): void {
  if (bytes <= Math.max(limits.expandedBytes.most, expansionFactor * compressedBytes)) return;
  throw new ArchiveFault(
    `${name} would have ${bytes} bytes, more than ${expansionFactor} times its compressed size`,
  );
}

async function* contentOf(file: ByteSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const start = await contentStart(file, entry);
  const stored = streamExactly(file, start, entry.compressedBytes);
  if (!entry.isDeflated) {
    yield* stored;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: inflatedChunkBytes });
  let cause: unknown = null;
  pipeline(Readable.from(stored), inflate, (error) => {
    cause = error;
  });
  try {
    yield* inflate as AsyncIterable<Buffer>;
  } catch (error) {
    const reason = cause ?? error;
    if (isZlibError(reason)) {
      throw new ArchiveFault(`${entry.name} is damaged: ${messageOf(reason)}`, { cause: reason });
    }
    throw reason;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

/** After the local header, which repeats the name and may have other extra fields. */
async function contentStart(file: ByteSource, { name, headerAt }: ZipEntry): Promise<number> {
  const header = await readExactly(file, headerAt, localHeaderBytes);
  if (header.readUInt32LE(0) !== localHeaderMark) {
    throw new ArchiveFault(`The archive has no header for ${name}`);
  }
  const nameBytes = header.readUInt16LE(26);
  const ownName = await readExactly(file, headerAt + localHeaderBytes, nameBytes);
  if (ownName.toString('latin1') !== name) {
    throw new ArchiveFault(`The archive has two different names for ${name}`);
  }
  return headerAt + localHeaderBytes + nameBytes + header.readUInt16LE(28);
}
