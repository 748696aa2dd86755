import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { type ChecksumName, checksumAlgorithms } from '../checksum-algorithms.ts';

/** What a store says the bytes of a whole object come to. */
export interface DeclaredChecksum {
  update(bytes: Uint8Array): void;
  /** Of everything that it was updated with. */
  matches(): Promise<boolean>;
}

/** The one that costs least to verify, if the store declares any. */
export function declaredChecksum(answer: GetObjectCommandOutput): DeclaredChecksum | undefined {
  const declared: [ChecksumName, string | undefined][] = [
    ['CRC32', answer.ChecksumCRC32],
    ['CRC32C', answer.ChecksumCRC32C],
    ['CRC64NVME', answer.ChecksumCRC64NVME],
    ['SHA1', answer.ChecksumSHA1],
    ['SHA256', answer.ChecksumSHA256],
    ['MD5', md5Of(answer)],
  ];
  for (const [name, expected] of declared) {
    if (!isOfWhole(expected)) continue;
    const running = checksumAlgorithms[name].start();
    return {
      update: running.update,
      matches: async () => (await running.digest()).toString('base64') === expected,
    };
  }
  return undefined;
}

/** One with a number of parts behind it is of the parts' checksums, not of the bytes. */
function isOfWhole(checksum: string | undefined): checksum is string {
  return checksum !== undefined && !checksum.includes('-');
}

/** The ETag of an object that came in one piece, unless it was encrypted with a key of one's own. */
function md5Of(answer: GetObjectCommandOutput): string | undefined {
  const { ETag = '', ServerSideEncryption, SSECustomerAlgorithm } = answer;
  const [, digits] = /^"?([0-9a-f]{32})"?$/.exec(ETag) ?? [];
  const isPlain = ServerSideEncryption === undefined || ServerSideEncryption === 'AES256';
  if (!digits || !isPlain || SSECustomerAlgorithm !== undefined) return undefined;
  return Buffer.from(digits, 'hex').toString('base64');
}
