import type { AccessKeys } from '../../../records/access/storage-credentials.ts';
import { type UploadLinkOwner, type UploadLinks, uploadLinkSeconds } from '../../port.ts';
import { canonicalQuery } from '../wire/target.ts';
import { uriEncodePath } from '../wire/uri.ts';
import { timeOf } from './request-signature.ts';
import { algorithm, createSigner } from './signer.ts';

export interface EndpointLinkOptions {
  /** The endpoint's URL for browsers, without a trailing slash. */
  readonly publicUrl: string;
  readonly bucket: string;
  readonly region: string;
  /** Issues keys that can access only the partner's prefix and are valid for at least that long. */
  readonly credentials: {
    forLinks(owner: UploadLinkOwner, seconds: number): Promise<AccessKeys>;
  };
  readonly now?: () => Date;
}

/** Links to our own endpoint: ordinary presigned URLs. */
export function createEndpointUploadLinks(options: EndpointLinkOptions): UploadLinks {
  const { publicUrl, bucket, region, credentials, now = () => new Date() } = options;
  const { origin, host } = new URL(publicUrl);
  return {
    origin,

    async create(owner, key) {
      const keys = await credentials.forLinks(owner, uploadLinkSeconds);
      const timestamp = now()
        .toISOString()
        .replace(/[-:]|\.\d+/g, '');
      const scope = { date: timestamp.slice(0, 8), region, service: 's3' };
      const path = `/${bucket}/${uriEncodePath(key)}`;
      const query = canonicalQuery([
        ['X-Amz-Algorithm', algorithm],
        ['X-Amz-Credential', `${keys.accessKeyId}/${scope.date}/${region}/s3/aws4_request`],
        ['X-Amz-Date', timestamp],
        ['X-Amz-Expires', String(uploadLinkSeconds)],
        ['X-Amz-SignedHeaders', 'host'],
      ]);
      const signature = createSigner(keys.secretAccessKey, timestamp, scope).signRequest({
        method: 'PUT',
        path,
        query,
        headers: [['host', host]],
        payloadHash: 'UNSIGNED-PAYLOAD',
      });
      return {
        url: `${publicUrl}${path}?${query}&X-Amz-Signature=${signature}`,
        expiresAt: new Date(timeOf(timestamp) + uploadLinkSeconds * 1000),
      };
    },
  };
}
