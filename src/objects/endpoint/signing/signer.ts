import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The computation of AWS Signature Version 4. */
export const algorithm = 'AWS4-HMAC-SHA256';
export const emptySha256 = createHash('sha256').digest('hex');

/** The credential scope of a signature: `date/region/service/aws4_request`. */
export interface Scope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

interface CanonicalRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case names in order, with values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payloadHash: string;
}

/** Derives the key once for the signatures of a request and all its chunks. */
export interface Signer {
  signRequest(request: CanonicalRequest): string;
  /** Each chunk's signature covers the previous one. */
  signChunk(previous: string, sha256: string): string;
  signTrailer(previous: string, sha256: string): string;
}

export function createSigner(secretAccessKey: string, timestamp: string, scope: Scope): Signer {
  const credentialScope = `${scope.date}/${scope.region}/${scope.service}/aws4_request`;
  const key = [scope.date, scope.region, scope.service, 'aws4_request'].reduce<string | Buffer>(
    (secret, text) => hmac(secret, text).digest(),
    `AWS4${secretAccessKey}`,
  );
  const sign = (kind: string, ...lines: string[]) =>
    hmac(key, [kind, timestamp, credentialScope, ...lines].join('\n')).digest('hex');

  return {
    signRequest: (request) => sign(algorithm, sha256(canonicalText(request))),
    signChunk: (previous, hash) => sign(`${algorithm}-PAYLOAD`, previous, emptySha256, hash),
    signTrailer: (previous, hash) => sign(`${algorithm}-TRAILER`, previous, hash),
  };
}

/** Compares in constant time. */
export function sameSignature(expected: string, given: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(Buffer.from(expected), bytes);
}

/** Trims values, collapses runs of spaces and joins the values of one name. */
export function canonicalHeaderValue(values: readonly string[]): string {
  return values.map((value) => value.trim().replace(/ +/g, ' ')).join(',');
}

export function sha256(text: string): string {
  // Header values are bytes, which Node represents as Latin-1; everything else is ASCII.
  return createHash('sha256').update(text, 'latin1').digest('hex');
}

function canonicalText({ method, path, query, headers, payloadHash }: CanonicalRequest): string {
  return [
    method,
    path,
    query,
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    headers.map(([name]) => name).join(';'),
    payloadHash,
  ].join('\n');
}

function hmac(key: string | Buffer, text: string) {
  return createHmac('sha256', key).update(text);
}
