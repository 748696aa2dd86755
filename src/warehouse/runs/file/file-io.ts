import { readSync, writeSync } from 'node:fs';

/**
 * Staging a file of 320 MB took 0.28 s of system time with this size, 0.55 s with 1 MiB and 0.39 s
 * with 16 KiB (Linux 6.18 in a virtual machine, ext4).
 */
const bytesPerWrite = 128 * 1024;

/** Writes all bytes. A single write may be short, for instance when the disk is almost full. */
export function writeFully(fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(bytes.length - done, bytesPerWrite);
    done += writeSync(fd, bytes, done, length, offset + done);
  }
}

export function readFully(fd: number, into: Uint8Array, offset: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, offset + done);
    if (read === 0) throw new Error('unexpected end of file');
    done += read;
  }
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
