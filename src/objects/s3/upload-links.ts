import { PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type UploadLink, type UploadLinks, uploadLinkSeconds } from '../port.ts';
import { createS3Client, type S3Options } from './s3-client.ts';

/** Links to an external bucket, signed with the service's credentials for it. */
export async function createS3UploadLinks(
  options: S3Options,
  now = () => new Date(),
): Promise<UploadLinks> {
  // Otherwise the SDK would sign the checksum of empty content into the link.
  const client = createS3Client({ ...options, checksums: 'when_required' });

  async function sign(key: string): Promise<UploadLink> {
    const command = new PutObjectCommand({ Bucket: options.bucket, Key: key });
    // Signatures contain whole seconds only.
    const signedAt = Math.floor(now().getTime() / 1000);
    const url = await getSignedUrl(client, command, {
      signingDate: new Date(signedAt * 1000),
      expiresIn: uploadLinkSeconds,
    });
    return { url, expiresAt: new Date((signedAt + uploadLinkSeconds) * 1000) };
  }

  // The SDK decides whether the bucket is part of the host name, so the origin comes from a sample link.
  const { origin } = new URL((await sign('any')).url);
  return { origin, create: (_owner, key) => sign(key) };
}
