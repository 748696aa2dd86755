import type { IncomingMessage } from 'node:http';
import { type Headers, openPayload } from './body/payload.ts';
import type { Answer, Call, Site } from './call/call.ts';
import { headerBytes } from './call/object-headers.ts';
import { operationFor } from './routes.ts';
import { type Authenticated, authenticate, type Credential } from './signing/authenticate.ts';
import { type Claim, readClaim } from './signing/signed-request.ts';
import { S3Error } from './wire/s3-error.ts';
import { parseTarget, type Target } from './wire/target.ts';

export interface Handling extends Site {
  findCredential(accessKeyId: string): Promise<Credential | undefined>;
  now(): Date;
}

/** From a request as it came over the wire to the answer; refusals are thrown. */
export async function handleRequest(
  request: IncomingMessage,
  body: AsyncIterable<Uint8Array>,
  handling: Handling,
  onClaim: (accessKeyId: string) => void,
): Promise<Answer> {
  const method = request.method ?? '';
  const headers = request.headersDistinct;
  const target = parseTarget(request.url ?? '', request.headers.host ?? '', handling.bucket);
  const claim = readClaim(headers, target);
  onClaim(claim.accessKeyId);
  const authenticated = authenticate(
    { method, headers, target },
    claim,
    await handling.findCredential(claim.accessKeyId),
    handling.region,
    handling.now(),
  );
  const call = toCall(request, target, claim, authenticated, body);
  return operationFor(call, target.bucket, handling)(call, handling);
}

function toCall(
  request: IncomingMessage,
  target: Target,
  claim: Claim,
  authenticated: Authenticated,
  body: AsyncIterable<Uint8Array>,
): Call {
  const headers = readHeaders(request, target, claim);
  return {
    method: request.method ?? '',
    key: target.key,
    parameters: new Map(target.parameters),
    headers,
    prefix: authenticated.prefix,
    payload: (maximumBytes, said) => openPayload(body, said, authenticated, maximumBytes),
  };
}

const ofTheSignature =
  /^x-amz-(?:algorithm|credential|date|expires|signedheaders|signature|content-sha256)$/;

// What AWS's newest SDK signs into a URL for an upload whose content it does not know yet.
const checksumOfNothing = { name: 'x-amz-checksum-crc32', value: 'AAAAAA==' };

/** In a presigned URL what is said in `x-amz-…` headers may stand in the query instead. */
function readHeaders(request: IncomingMessage, { parameters }: Target, claim: Claim): Headers {
  const headers = new Map<string, string>();
  for (const [given, value] of claim.expiresInSeconds === undefined ? [] : parameters) {
    const name = given.toLowerCase();
    if (!name.startsWith('x-amz-') || ofTheSignature.test(name)) continue;
    if (name === checksumOfNothing.name && value === checksumOfNothing.value) continue;
    if (!/^[\w.-]+$/.test(name) || /\p{Cc}/u.test(value)) {
      throw new S3Error('InvalidArgument', `${given} cannot stand in a header.`);
    }
    headers.set(name, headerBytes(value));
  }
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    headers.set(name, values.join(','));
  }
  return headers;
}
