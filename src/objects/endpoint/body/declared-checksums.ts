import { type ChecksumName, checksumAlgorithms } from '../../checksum-algorithms.ts';
import type { Digests } from '../../content.ts';
import { S3Error } from '../wire/s3-error.ts';

/** By header or trailer name. */
const namesByHeader = new Map<string, ChecksumName>([
  ['x-amz-checksum-crc32', 'CRC32'],
  ['x-amz-checksum-crc32c', 'CRC32C'],
  ['x-amz-checksum-crc64nvme', 'CRC64NVME'],
  ['x-amz-checksum-sha1', 'SHA1'],
  ['x-amz-checksum-sha256', 'SHA256'],
]);

export const checksumHeaders: readonly string[] = [...namesByHeader.keys()];

export interface DeclaredChecksum {
  readonly name: ChecksumName;
  /** The header of the checksum in requests and responses. */
  readonly header: string;
}

/** Undefined if the header carries no supported checksum. */
export function declaredChecksum(header: string): DeclaredChecksum | undefined {
  const name = namesByHeader.get(header);
  return name && { name, header };
}

/** Throws unless the bytes have this checksum, given in base64. */
export function checkDeclared(
  { name, header }: DeclaredChecksum,
  expected: string,
  digests: Digests,
): void {
  const digest = Buffer.from(expected, 'base64');
  const { digestBytes } = checksumAlgorithms[name];
  if (digest.length !== digestBytes || digest.toString('base64') !== expected) {
    throw new S3Error('InvalidRequest', `Value for ${header} header is invalid.`);
  }
  if (!digest.equals(digests[name]!)) {
    throw new S3Error(
      'BadDigest',
      `The ${name} you specified did not match the calculated checksum.`,
    );
  }
}
