import { createHash } from 'node:crypto';
import { type Signer, sameSignature, sha256 } from '../signing/signer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { type ByteReader, createByteReader } from './byte-reader.ts';

export interface ChunkedBody {
  /** To verify the chain of chunk signatures, which begins with the request's. */
  readonly signatures: { readonly signer: Signer; readonly seed: string } | undefined;
  /** The announced trailing headers, in lower case. */
  readonly announced: readonly string[];
  /** Called with the verified trailer before the content ends. */
  onTrailer(trailer: ReadonlyMap<string, string>): void;
}

const maximumLineBytes = 8_192;
const maximumTrailerLines = 16;

/**
 * Decodes an `aws-chunked` body. Bytes are yielded before their chunk is verified, so the caller must not
 * make them visible before the end is reached without an error.
 */
export async function* decodeChunks(
  source: AsyncIterable<Uint8Array>,
  body: ChunkedBody,
): AsyncGenerator<Uint8Array> {
  const reader = createByteReader(source);
  try {
    let previous = body.signatures?.seed ?? '';
    for (;;) {
      const { size, signature } = await readChunkHead(reader);
      const hash = body.signatures && createHash('sha256');
      for (let left = size; left > 0; ) {
        const bytes = await reader.some(left);
        hash?.update(bytes);
        left -= bytes.length;
        yield bytes;
      }
      if (size > 0) await expectLineEnd(reader);
      if (body.signatures && hash) {
        const expected = body.signatures.signer.signChunk(previous, hash.digest('hex'));
        if (!sameSignature(expected, signature)) throw new S3Error('SignatureDoesNotMatch');
        previous = expected;
      }
      if (size === 0) break;
    }
    await readTrailer(reader, body, previous);
  } finally {
    await reader.close();
  }
}

async function readChunkHead(reader: ByteReader): Promise<{ size: number; signature: string }> {
  const line = await reader.line(maximumLineBytes);
  if (line === undefined) throw new S3Error('IncompleteBody');
  const [, digits, signature = ''] =
    /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line) ?? [];
  if (digits === undefined) throw malformed();
  return { size: Number.parseInt(digits, 16), signature };
}

async function expectLineEnd(reader: ByteReader): Promise<void> {
  const line = await reader.line(2);
  if (line === undefined) throw new S3Error('IncompleteBody');
  if (line !== '') throw malformed();
}

/** Reads to the end of the body. Ignores empty lines, because clients place them differently. */
async function readTrailer(reader: ByteReader, body: ChunkedBody, previous: string): Promise<void> {
  const trailer = new Map<string, string>();
  let signed = '';
  let signature = '';
  for (let lines = 0; ; lines++) {
    const line = await reader.line(maximumLineBytes);
    if (line === undefined) break;
    if (line === '' && lines < maximumTrailerLines) continue;
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (name === 'x-amz-trailer-signature') {
      signature = value;
    } else {
      if (!body.announced.includes(name)) throw new S3Error('MalformedTrailerError');
      trailer.set(name, value);
      signed += `${name}:${value}\n`;
    }
  }
  if (body.announced.some((name) => !trailer.has(name))) throw new S3Error('MalformedTrailerError');
  if (body.signatures && body.announced.length > 0) {
    const expected = body.signatures.signer.signTrailer(previous, sha256(signed));
    if (!sameSignature(expected, signature)) throw new S3Error('SignatureDoesNotMatch');
  }
  body.onTrailer(trailer);
}

function malformed(): S3Error {
  return new S3Error('InvalidRequest', 'The aws-chunked body is malformed.');
}
