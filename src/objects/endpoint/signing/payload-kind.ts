import { S3Error } from '../wire/s3-error.ts';

/** How the body is encoded and signed, from `x-amz-content-sha256`. */
export type PayloadKind =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'sha256'; readonly digest: string }
  | { readonly kind: 'chunked'; readonly isSigned: boolean; readonly hasTrailer: boolean };

const namedKinds: Readonly<Record<string, PayloadKind>> = {
  'UNSIGNED-PAYLOAD': { kind: 'unsigned' },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { kind: 'chunked', isSigned: true, hasTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': {
    kind: 'chunked',
    isSigned: true,
    hasTrailer: true,
  },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { kind: 'chunked', isSigned: false, hasTrailer: true },
};

export function parsePayloadKind(value: string): PayloadKind {
  if (/^[0-9a-f]{64}$/i.test(value)) return { kind: 'sha256', digest: value.toLowerCase() };
  const named = Object.hasOwn(namedKinds, value) ? namedKinds[value] : undefined;
  if (named) return named;
  throw new S3Error(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-UNSIGNED-PAYLOAD-TRAILER, or a valid sha256 value.',
    { ArgumentName: 'x-amz-content-sha256', ArgumentValue: value },
  );
}
