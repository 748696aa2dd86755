import type { ChecksumName } from '../../checksum-algorithms.ts';
import type { Content, Digests } from '../../content.ts';
import type { Authenticated } from '../signing/authenticate.ts';
import { S3Error } from '../wire/s3-error.ts';
import { decodeChunks } from './chunked-body.ts';
import {
  checkDeclared,
  checksumHeaders,
  type DeclaredChecksum,
  declaredChecksum,
} from './declared-checksums.ts';

/** The decoded body of a request. */
export interface Payload {
  /** Throws, at the latest at the end, if the length or signature does not match. Its check is for the rest. */
  readonly content: Content & { readonly size: number };
  /** The verified checksums, for the response. Complete once the content was checked. */
  readonly checksums: Readonly<Record<string, string>>;
}

export type Headers = ReadonlyMap<string, string>;

/** Headers that describe a checksum but do not contain one. */
const checksumOptions = new Set(['algorithm', 'type', 'mode'].map((x) => `x-amz-checksum-${x}`));

export function openPayload(
  source: AsyncIterable<Uint8Array>,
  headers: Headers,
  authenticated: Authenticated,
  maximumBytes: number,
): Payload {
  const { payload } = authenticated;
  const declaredBytes = declaredLength(headers, payload.kind === 'chunked');
  if (declaredBytes > maximumBytes) {
    throw new S3Error('EntityTooLarge', undefined, {
      ProposedSize: String(declaredBytes),
      MaxSizeAllowed: String(maximumBytes),
    });
  }
  const announced =
    payload.kind === 'chunked' && payload.hasTrailer ? announcedTrailers(headers) : [];
  const checksum = onlyChecksum(headers, announced);
  let expectedChecksum = checksum && headers.get(checksum.header);
  const decoded =
    payload.kind === 'chunked'
      ? decodeChunks(source, {
          signatures: payload.isSigned
            ? { signer: authenticated.signer, seed: authenticated.signature }
            : undefined,
          announced,
          onTrailer(trailer) {
            if (checksum) expectedChecksum ??= trailer.get(checksum.header);
          },
        })
      : source;
  const contentMd5 = parseContentMd5(headers.get('content-md5'));
  const needed: ChecksumName[] = [];
  if (payload.kind === 'sha256') needed.push('SHA256');
  if (contentMd5) needed.push('MD5');
  if (checksum) needed.push(checksum.name);
  const checksums: Record<string, string> = {};

  async function* ofDeclaredLength(): AsyncGenerator<Uint8Array> {
    let length = 0;
    for await (const bytes of decoded) {
      length += bytes.length;
      if (length > declaredBytes) throw new S3Error('IncompleteBody');
      yield bytes;
    }
    if (length < declaredBytes) throw new S3Error('IncompleteBody');
  }

  function check(digests: Digests): void {
    if (payload.kind === 'sha256' && hexOf(digests.SHA256!) !== payload.digest) {
      throw new S3Error('XAmzContentSHA256Mismatch');
    }
    if (contentMd5 && !contentMd5.equals(digests.MD5!)) throw new S3Error('BadDigest');
    if (checksum && expectedChecksum !== undefined) {
      checkDeclared(checksum, expectedChecksum, digests);
      checksums[checksum.header] = expectedChecksum;
    }
  }
  const content = {
    [Symbol.asyncIterator]: ofDeclaredLength,
    size: declaredBytes,
    checksums: needed,
    check,
  };
  return { content, checksums };
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

function declaredLength(headers: Headers, isChunked: boolean): number {
  const text = headers.get(isChunked ? 'x-amz-decoded-content-length' : 'content-length');
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new S3Error('MissingContentLength');
  return Number(text);
}

function announcedTrailers(headers: Headers): string[] {
  const names = (headers.get('x-amz-trailer') ?? '').split(',').map((name) => name.trim());
  const trailers = names.filter((name) => name !== '').map((name) => name.toLowerCase());
  if (trailers.some((name) => !checksumHeaders.includes(name))) {
    throw new S3Error(
      'InvalidRequest',
      'The value specified in the x-amz-trailer header is not supported',
    );
  }
  return trailers;
}

/** S3 allows one checksum per request, as a header or as a trailer. */
function onlyChecksum(headers: Headers, trailers: readonly string[]): DeclaredChecksum | undefined {
  const inHeaders = [...headers.keys()].filter(
    (name) => name.startsWith('x-amz-checksum-') && !checksumOptions.has(name),
  );
  const [header, ...more] = new Set([...inHeaders, ...trailers]);
  if (header === undefined) return undefined;
  if (more.length > 0) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  const checksum = declaredChecksum(header);
  // A checksum that cannot be verified is refused, not ignored.
  if (!checksum) throw new S3Error('NotImplemented', undefined, { Header: header });
  return checksum;
}

function parseContentMd5(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const md5 = Buffer.from(text, 'base64');
  if (md5.length !== 16 || md5.toString('base64') !== text) throw new S3Error('InvalidDigest');
  return md5;
}
