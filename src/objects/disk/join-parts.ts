import { createHash } from 'node:crypto';

interface Part {
  readonly partNumber: number;
  readonly etag: string;
  readonly size: number;
}

export interface JoinedParts {
  readonly partNumbers: readonly number[];
  readonly etag: string;
  readonly size: number;
}

/** The object made of the listed parts; undefined if the list does not match the parts. */
export function joinParts(
  parts: readonly Part[],
  listed: readonly { readonly partNumber: number; readonly etag: string }[],
): JoinedParts | undefined {
  if (listed.length === 0) return undefined;
  const byNumber = new Map(parts.map((part) => [part.partNumber, part]));
  let size = 0;
  let previous = 0;
  for (const { partNumber, etag } of listed) {
    const part = byNumber.get(partNumber);
    if (part?.etag !== etag || partNumber <= previous) return undefined;
    size += part.size;
    previous = partNumber;
  }
  return {
    partNumbers: listed.map(({ partNumber }) => partNumber),
    etag: joinedEtag(listed),
    size,
  };
}

/** S3's ETag of a multipart object: the MD5 of its parts' MD5s, and their number. */
export function joinedEtag(parts: readonly { readonly etag: string }[]): string {
  const md5 = createHash('md5');
  for (const { etag } of parts) md5.update(etag, 'hex');
  return `${md5.digest('hex')}-${parts.length}`;
}
