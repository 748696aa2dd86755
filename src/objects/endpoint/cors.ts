import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './call.ts';
import { checksumHeaders } from './checksums.ts';
import { S3Error } from './s3-error.ts';

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
const exposed = [
  'ETag',
  'Content-Range',
  'Accept-Ranges',
  'x-amz-request-id',
  ...checksumHeaders,
].join(', ');

/** Lets scripts of the one origin that may call from a browser see the answer. */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
): void {
  response.setHeader(
    'vary',
    'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  );
  if (request.headers.origin !== origin) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', exposed);
}

/** What a browser asks before it sends a request that is not a plain one. */
export function answerPreflight({ headers }: IncomingMessage, origin: string): Answer {
  const method = headers['access-control-request-method'];
  if (headers.origin === undefined) {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.');
  }
  if (headers.origin !== origin || method === undefined || !methods.includes(method)) {
    throw new S3Error('AccessForbidden');
  }
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
      'access-control-max-age': '3600',
    },
  };
}
