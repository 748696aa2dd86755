import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Crc64Nvme } from '@aws-sdk/crc64-nvme';
import { crc32c } from '@node-rs/crc32';

/** A checksum that is computed while bytes stream by. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  digest(): Promise<Buffer>;
}

interface ChecksumAlgorithm {
  readonly digestBytes: number;
  start(): RunningChecksum;
}

/** The algorithms of S3, by S3's names. */
export const checksumAlgorithms = {
  CRC32: { digestBytes: 4, start: () => runningCrc(crc32) },
  CRC32C: { digestBytes: 4, start: () => runningCrc(crc32c) },
  CRC64NVME: { digestBytes: 8, start: runningCrc64 },
  SHA1: { digestBytes: 20, start: () => runningHash('sha1') },
  SHA256: { digestBytes: 32, start: () => runningHash('sha256') },
  MD5: { digestBytes: 16, start: () => runningHash('md5') },
} as const satisfies Record<string, ChecksumAlgorithm>;

export type ChecksumName = keyof typeof checksumAlgorithms;

function runningHash(algorithm: string): RunningChecksum {
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest() };
}

function runningCrc(crc: (bytes: Uint8Array, initial: number) => number): RunningChecksum {
  let value = 0;
  return {
    update(bytes) {
      value = crc(bytes, value);
    },
    async digest() {
      const digest = Buffer.alloc(4);
      digest.writeUInt32BE(value);
      return digest;
    },
  };
}

function runningCrc64(): RunningChecksum {
  const crc = new Crc64Nvme();
  return {
    update: (bytes) => crc.update(bytes),
    digest: async () => Buffer.from(await crc.digest()),
  };
}
