import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { type ChecksumName, checksumAlgorithms } from '../checksum-algorithms.ts';

/** The checksum that a store returned for a whole object. */
export interface StoredChecksum {
  update(bytes: Uint8Array): void;
  /** Whether the bytes passed to `update` have this checksum. */
  matches(): Promise<boolean>;
}

/** The cheapest checksum to verify, if the store returned any. */
export function storedChecksum(answer: GetObjectCommandOutput): StoredChecksum | undefined {
  const declared: [ChecksumName, string | undefined][] = [
    ['CRC32', answer.ChecksumCRC32],
    ['CRC32C', answer.ChecksumCRC32C],
    ['CRC64NVME', answer.ChecksumCRC64NVME],
    ['SHA1', answer.ChecksumSHA1],
    ['SHA256', answer.ChecksumSHA256],
    ['MD5', md5Of(answer)],
  ];
  for (const [name, expected] of declared) {
    if (!coversWholeObject(expected)) continue;
    const running = checksumAlgorithms[name].start();
    return {
      update: running.update,
      matches: async () => (await running.digest()).toString('base64') === expected,
    };
  }
  return undefined;
}

/** A checksum that ends in a number of parts covers the parts' checksums, not the bytes. */
function coversWholeObject(checksum: string | undefined): checksum is string {
  return checksum !== undefined && !checksum.includes('-');
}

/** The ETag of an object uploaded in one piece, unless it is encrypted with a customer's key. */
function md5Of(answer: GetObjectCommandOutput): string | undefined {
  const { ETag = '', ServerSideEncryption, SSECustomerAlgorithm } = answer;
  const [, digits] = /^"?([0-9a-f]{32})"?$/.exec(ETag) ?? [];
  const isPlain = ServerSideEncryption === undefined || ServerSideEncryption === 'AES256';
  if (!digits || !isPlain || SSECustomerAlgorithm !== undefined) return undefined;
  return Buffer.from(digits, 'hex').toString('base64');
}
