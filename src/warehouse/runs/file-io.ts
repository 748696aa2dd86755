import { readSync, writeSync } from 'node:fs';

/** Writes all of it; a write may do less than asked, for instance before the disk is full. */
export function writeFully(fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, offset + done);
  }
}

export function readFully(fd: number, into: Uint8Array, offset: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, offset + done);
    if (read === 0) throw new Error('the file ends before it does');
    done += read;
  }
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
