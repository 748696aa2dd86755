import type { IncomingMessage } from 'node:http';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import { redactSecrets } from '../../domain/redaction.ts';
import { type Headers, openPayload } from './body/payload.ts';
import type { Answer, BucketContext, Call } from './call/call.ts';
import { headerBytes } from './call/object-headers.ts';
import { operationFor } from './routes.ts';
import { type Authenticated, authenticate, type Credential } from './signing/authenticate.ts';
import { type RequestSignature, readRequestSignature } from './signing/request-signature.ts';
import { S3Error } from './wire/s3-error.ts';
import { parseTarget, type Target } from './wire/target.ts';

export interface HandlerDependencies extends BucketContext {
  findCredential(accessKeyId: string): Promise<Credential | undefined>;
  now(): Date;
  readonly guard: CredentialGuard;
  /** Does the work of a request of the partner with this prefix. */
  runFor<T>(prefix: string, work: () => T): T;
  /** The address of the client. */
  addressOf(request: IncomingMessage): string;
}

/** A request as it arrives. */
export interface Received {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Refuses networks that sent too many wrong signatures. */
export interface CredentialGuard {
  readonly guesses: GuessLimit;
  networkOf(request: IncomingMessage): string;
}

/** What the caller of `handleRequest` wants to know. A method may throw an S3Error to refuse the request. */
export interface RequestObserver {
  /** Before the signature is verified. */
  onAccessKeyId(accessKeyId: string): void;
  onAuthenticated(prefix: string): void;
}

/** Authenticates and executes a request. Throws an S3Error to refuse it. */
export async function handleRequest(
  received: Received,
  dependencies: HandlerDependencies,
  observer: RequestObserver,
): Promise<Answer> {
  const { request } = received;
  const method = request.method ?? '';
  const headers = request.headersDistinct;
  const target = parseTarget(request.url ?? '', request.headers.host ?? '', dependencies.bucket);
  const signature = readRequestSignature(headers, target);
  observer.onAccessKeyId(signature.accessKeyId);
  const { guesses, networkOf } = dependencies.guard;
  const guess = guesses.begin(networkOf(request), signature.accessKeyId);
  if (guess.waitSeconds !== null) throw new S3Error('SlowDown');
  let authenticated: Authenticated;
  try {
    authenticated = authenticate(
      { method, headers, target },
      signature,
      await dependencies.findCredential(signature.accessKeyId),
      dependencies.region,
      dependencies.now(),
    );
    guess.right();
  } catch (error) {
    if (isWrongCredential(error)) guess.wrong();
    else guess.drop();
    throw error;
  }
  const { prefix } = authenticated.credential;
  observer.onAuthenticated(prefix);
  const call = toCall(received, target, signature, authenticated, dependencies);
  const operation = operationFor(call, target.bucket, dependencies);
  return dependencies.runFor(prefix, () => operation(call, dependencies));
}

function isWrongCredential(error: unknown): boolean {
  return (
    error instanceof S3Error && ['InvalidAccessKeyId', 'SignatureDoesNotMatch'].includes(error.code)
  );
}

function toCall(
  { request, requestId, body }: Received,
  target: Target,
  signature: RequestSignature,
  authenticated: Authenticated,
  { bucket, addressOf }: HandlerDependencies,
): Call {
  const headers = readHeaders(request, target, signature);
  const { prefix, partnerId, apiKeyId } = authenticated.credential;
  return {
    method: request.method ?? '',
    key: target.key,
    parameters: new Map(target.parameters),
    headers,
    prefix,
    audited: (action, status) => ({
      action,
      target: redactSecrets(`/${bucket}/${target.key}`, []),
      actor: 'partner',
      partnerId,
      apiKeyId,
      accessKeyId: signature.accessKeyId,
      customerId: null,
      userId: null,
      clientId: null,
      requestId,
      remoteAddress: addressOf(request),
      status,
    }),
    payload: (maximumBytes, declared) => openPayload(body, declared, authenticated, maximumBytes),
  };
}

const signatureParameters =
  /^x-amz-(?:algorithm|credential|date|expires|signedheaders|signature|content-sha256)$/;

// AWS's newest SDK signs this into a URL for an upload whose content it does not know yet.
const emptyContentChecksum = { name: 'x-amz-checksum-crc32', value: 'AAAAAA==' };

/** A presigned URL may carry `x-amz-…` headers in its query. */
function readHeaders(
  request: IncomingMessage,
  { parameters }: Target,
  signature: RequestSignature,
): Headers {
  const headers = new Map<string, string>();
  for (const [given, value] of signature.expiresInSeconds === undefined ? [] : parameters) {
    const name = given.toLowerCase();
    if (!name.startsWith('x-amz-') || signatureParameters.test(name)) continue;
    if (name === emptyContentChecksum.name && value === emptyContentChecksum.value) continue;
    if (!/^[\w.-]+$/.test(name) || /\p{Cc}/u.test(value)) {
      throw new S3Error('InvalidArgument', `${given} is not valid as a header.`);
    }
    headers.set(name, headerBytes(value));
  }
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    headers.set(name, values.join(','));
  }
  return headers;
}
