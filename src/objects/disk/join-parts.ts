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

/** What the listed ones of these parts make together; undefined if the list does not fit them. */
export function joinParts(
  parts: readonly Part[],
  listed: readonly { readonly partNumber: number; readonly etag: string }[],
): JoinedParts | undefined {
  if (listed.length === 0) return undefined;
  const byNumber = new Map(parts.map((part) => [part.partNumber, part]));
  const md5 = createHash('md5');
  let size = 0;
  let previous = 0;
  for (const { partNumber, etag } of listed) {
    const part = byNumber.get(partNumber);
    if (part?.etag !== etag || partNumber <= previous) return undefined;
    md5.update(etag, 'hex');
    size += part.size;
    previous = partNumber;
  }
  return {
    partNumbers: listed.map(({ partNumber }) => partNumber),
    etag: `${md5.digest('hex')}-${listed.length}`,
    size,
  };
}
