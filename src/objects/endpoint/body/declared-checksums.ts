import { type ChecksumName, checksumAlgorithms } from '../../checksum-algorithms.ts';
import { S3Error } from '../wire/s3-error.ts';

/** By the header, or trailer, that carries it. */
const namesByHeader = new Map<string, ChecksumName>([
  ['x-amz-checksum-crc32', 'CRC32'],
  ['x-amz-checksum-crc32c', 'CRC32C'],
  ['x-amz-checksum-crc64nvme', 'CRC64NVME'],
  ['x-amz-checksum-sha1', 'SHA1'],
  ['x-amz-checksum-sha256', 'SHA256'],
]);

export const checksumHeaders: readonly string[] = [...namesByHeader.keys()];

export interface ContentChecksum {
  /** The header that the checksum goes by, in requests and answers. */
  readonly header: string;
  update(bytes: Uint8Array): void;
  /** Throws unless what was seen has this checksum, in base64. */
  check(expected: string): Promise<void>;
}

/** Undefined if the header is none of ours. */
export function startChecksum(header: string): ContentChecksum | undefined {
  const name = namesByHeader.get(header);
  if (!name) return undefined;
  const { digestBytes, start } = checksumAlgorithms[name];
  const running = start();
  return {
    header,
    update: (bytes) => running.update(bytes),
    async check(expected) {
      const wanted = Buffer.from(expected, 'base64');
      if (wanted.length !== digestBytes || wanted.toString('base64') !== expected) {
        throw new S3Error('InvalidRequest', `Value for ${header} header is invalid.`);
      }
      if (!wanted.equals(await running.digest())) {
        throw new S3Error(
          'BadDigest',
          `The ${name} you specified did not match the calculated checksum.`,
        );
      }
    },
  };
}
