import { S3Error } from '../wire/s3-error.ts';
import type { Target } from '../wire/target.ts';
import { algorithm, type Scope } from './signer.ts';

export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

/** The unverified signature of a request: from the Authorization header or a presigned URL. */
export interface RequestSignature {
  readonly accessKeyId: string;
  readonly scope: Scope;
  /** As sent: `20130524T000000Z`. */
  readonly timestamp: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Only for a presigned URL. */
  readonly expiresInSeconds: number | undefined;
}

const maximumExpirySeconds = 604_800;

export function readRequestSignature(headers: HeaderValues, target: Target): RequestSignature {
  const parameters = new Map(target.parameters);
  const header = headers.authorization?.join(',');
  const isPresigned = parameters.has('X-Amz-Algorithm');
  const isVersion2 = parameters.has('AWSAccessKeyId') || header?.startsWith('AWS ');
  if (isVersion2) throw unsupportedMechanism();
  if (header !== undefined && isPresigned) {
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    );
  }
  if (header !== undefined) return fromHeader(header, headers['x-amz-date']?.[0]);
  if (isPresigned) return fromQuery(parameters);
  throw new S3Error('AccessDenied');
}

function fromHeader(header: string, timestamp: string | undefined): RequestSignature {
  const [mechanism, ...rest] = header.trim().split(' ');
  if (mechanism !== algorithm) throw unsupportedMechanism();
  const members = new Map(
    rest
      .join('')
      .split(',')
      .map((member): [string, string] => {
        const equals = member.indexOf('=');
        return [member.slice(0, equals), member.slice(equals + 1)];
      }),
  );
  const credential = parseCredential(members.get('Credential'));
  const signedHeaders = members.get('SignedHeaders');
  const signature = members.get('Signature');
  if (!credential || !signedHeaders || !signature) {
    throw new S3Error('AuthorizationHeaderMalformed');
  }
  if (!isTimestamp(timestamp)) {
    throw new S3Error(
      'AccessDenied',
      'AWS authentication requires a valid Date or x-amz-date header',
    );
  }
  return {
    ...credential,
    timestamp,
    signedHeaders: signedHeaders.split(';'),
    signature,
    expiresInSeconds: undefined,
  };
}

function fromQuery(parameters: ReadonlyMap<string, string>): RequestSignature {
  if (parameters.get('X-Amz-Algorithm') !== algorithm) {
    throw malformedQuery(`X-Amz-Algorithm only supports "${algorithm}"`);
  }
  const credential = parseCredential(parameters.get('X-Amz-Credential'));
  const timestamp = parameters.get('X-Amz-Date');
  const signedHeaders = parameters.get('X-Amz-SignedHeaders');
  const signature = parameters.get('X-Amz-Signature');
  const expires = parameters.get('X-Amz-Expires');
  if (!credential) {
    throw malformedQuery(
      'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  if (!signedHeaders || !signature || expires === undefined) throw malformedQuery();
  if (!isTimestamp(timestamp)) {
    throw malformedQuery("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  if (!/^\d{1,9}$/.test(expires) || Number(expires) < 1) {
    throw malformedQuery('X-Amz-Expires must be a positive number of seconds');
  }
  if (Number(expires) > maximumExpirySeconds) {
    throw malformedQuery(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${maximumExpirySeconds} seconds`,
    );
  }
  return {
    ...credential,
    timestamp,
    signedHeaders: signedHeaders.split(';'),
    signature,
    expiresInSeconds: Number(expires),
  };
}

function parseCredential(text = ''): Pick<RequestSignature, 'accessKeyId' | 'scope'> | undefined {
  const [, accessKeyId, date, region, service] =
    /^(\w{1,128})\/(\d{8})\/([^/]*)\/([^/]*)\/aws4_request$/.exec(text) ?? [];
  if (!accessKeyId || !date || region === undefined || service === undefined) return undefined;
  return { accessKeyId, scope: { date, region, service } };
}

function isTimestamp(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(timeOf(text));
}

/** In milliseconds; NaN if it is not a timestamp. */
export function timeOf(timestamp: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(timestamp) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function malformedQuery(message?: string): S3Error {
  return new S3Error('AuthorizationQueryParametersError', message);
}

function unsupportedMechanism(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `The authorization mechanism you have provided is not supported. Please use ${algorithm}.`,
  );
}
