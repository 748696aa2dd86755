import { S3Error } from '../wire/s3-error.ts';
import { canonicalQuery, type Target } from '../wire/target.ts';
import { type PayloadKind, parsePayloadKind } from './payload-kind.ts';
import { type HeaderValues, type RequestSignature, timeOf } from './request-signature.ts';
import { canonicalHeaderValue, createSigner, type Signer, sameSignature } from './signer.ts';

export interface Credential {
  /** The credential can access only keys that begin with it. */
  readonly prefix: string;
  readonly secretAccessKey: string;
  readonly partnerId: number;
  /** The API key that asked for an upload link. Null: credentials of the partner. */
  readonly apiKeyId: number | null;
  /** The partner's access is disabled. */
  readonly isDisabled?: boolean;
}

/** A request whose signature is verified. */
export interface Authenticated {
  readonly credential: Credential;
  readonly payload: PayloadKind;
  /** For chunk signatures in the body, which are chained to the request's signature. */
  readonly signer: Signer;
  readonly signature: string;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly headers: HeaderValues;
  readonly target: Target;
}

const permittedSkewMs = 15 * 60 * 1000;

export function authenticate(
  request: ReceivedRequest,
  signature: RequestSignature,
  credential: Credential | undefined,
  region: string,
  now: Date,
): Authenticated {
  checkScope(signature, region);
  checkTime(signature, now);
  if (!credential) {
    throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: signature.accessKeyId });
  }
  checkSignedHeaders(request, signature);

  const { headers, target } = request;
  const isPresigned = signature.expiresInSeconds !== undefined;
  const payloadHash =
    headers['x-amz-content-sha256']?.[0] ??
    (isPresigned ? presignedPayloadHash(target) : undefined);
  if (payloadHash === undefined) {
    throw new S3Error(
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    );
  }
  const signer = createSigner(credential.secretAccessKey, signature.timestamp, signature.scope);
  const expected = signer.signRequest({
    method: request.method,
    path: target.canonicalPath,
    query: canonicalQuery(target.parameters.filter(([name]) => name !== 'X-Amz-Signature')),
    headers: signature.signedHeaders.map((name) => [
      name,
      canonicalHeaderValue(headers[name] ?? []),
    ]),
    payloadHash,
  });
  if (!sameSignature(expected, signature.signature)) {
    throw new S3Error('SignatureDoesNotMatch', undefined, {
      AWSAccessKeyId: signature.accessKeyId,
    });
  }
  if ('x-amz-security-token' in headers || hasParameter(target, 'X-Amz-Security-Token')) {
    throw new S3Error('InvalidToken');
  }
  if (credential.isDisabled) throw new S3Error('AllAccessDisabled');
  return {
    credential,
    payload: parsePayloadKind(payloadHash),
    signer,
    signature: signature.signature,
  };
}

function checkScope(
  { scope, timestamp, expiresInSeconds }: RequestSignature,
  region: string,
): void {
  const [code, where] =
    expiresInSeconds === undefined
      ? (['AuthorizationHeaderMalformed', 'The authorization header is malformed'] as const)
      : ([
          'AuthorizationQueryParametersError',
          'Error parsing the X-Amz-Credential parameter',
        ] as const);
  if (scope.region !== region) {
    throw new S3Error(
      code,
      `${where}; the region '${scope.region}' is wrong; expecting '${region}'`,
      { Region: region },
    );
  }
  if (scope.service !== 's3') {
    throw new S3Error(
      code,
      `${where}; incorrect service "${scope.service}". This endpoint belongs to "s3".`,
    );
  }
  if (!timestamp.startsWith(scope.date)) {
    throw new S3Error(
      code,
      `${where}; Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${timestamp.slice(0, 8)}".`,
    );
  }
}

function checkTime({ timestamp, expiresInSeconds }: RequestSignature, now: Date): void {
  const signedAt = timeOf(timestamp);
  if (expiresInSeconds === undefined) {
    if (Math.abs(now.getTime() - signedAt) <= permittedSkewMs) return;
    throw new S3Error('RequestTimeTooSkewed', undefined, {
      RequestTime: timestamp,
      ServerTime: now.toISOString(),
      MaxAllowedSkewMilliseconds: String(permittedSkewMs),
    });
  }
  if (signedAt - now.getTime() > permittedSkewMs) {
    throw new S3Error('AccessDenied', 'Request is not yet valid');
  }
  const expiresAt = new Date(signedAt + expiresInSeconds * 1000);
  if (now > expiresAt) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      'X-Amz-Expires': String(expiresInSeconds),
      Expires: expiresAt.toISOString(),
      ServerTime: now.toISOString(),
    });
  }
}

/** Headers with a meaning in S3 must be signed. */
function checkSignedHeaders(
  { headers }: ReceivedRequest,
  { signedHeaders }: RequestSignature,
): void {
  const unsigned = Object.keys(headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0 || !signedHeaders.includes('host')) {
    throw new S3Error(
      'AccessDenied',
      'There were headers present in the request which were not signed',
      { HeadersNotSigned: unsigned.join(', ') },
    );
  }
}

function presignedPayloadHash({ parameters }: Target): string {
  return new Map(parameters).get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD';
}

function hasParameter({ parameters }: Target, name: string): boolean {
  return parameters.some(([other]) => other === name);
}
