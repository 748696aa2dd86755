import { ArchiveFault } from './archive-fault.ts';

/** Bytes that can be read from any position on. A chunk is valid until the next one is requested. */
export interface ByteSource {
  readonly size: number;
  read(offset: number): AsyncIterable<Uint8Array>;
}

/** A copy of each chunk of the bytes [offset, offset + length). */
export async function* streamExactly(
  source: ByteSource,
  offset: number,
  length: number,
): AsyncGenerator<Buffer> {
  if (offset < 0 || offset + length > source.size) throw truncated();
  let missing = length;
  if (missing === 0) return;
  for await (const chunk of source.read(offset)) {
    yield Buffer.from(chunk.subarray(0, missing));
    missing -= Math.min(missing, chunk.length);
    if (missing === 0) return;
  }
  throw truncated();
}

export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of streamExactly(source, offset, length)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function truncated(): ArchiveFault {
  return new ArchiveFault('The archive is cut off, or is not a ZIP file');
}
