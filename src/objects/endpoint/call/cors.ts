import type { IncomingMessage, ServerResponse } from 'node:http';
import { checksumHeaders } from '../body/declared-checksums.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { Answer } from './call.ts';

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
const exposedHeaders = [
  'ETag',
  'Content-Range',
  'Accept-Ranges',
  'x-amz-request-id',
  ...checksumHeaders,
].join(', ');

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** The origin; for a loopback address with all loopback names, because a browser may use any of them. */
export function originAliases(origin: string): ReadonlySet<string> {
  const { hostname } = new URL(origin);
  if (!loopbackNames.includes(hostname)) return new Set([origin]);
  return new Set(loopbackNames.map((name) => origin.replace(hostname, name)));
}

/** Lets scripts of the allowed origin read the response. */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  origins: ReadonlySet<string>,
): void {
  response.setHeader(
    'vary',
    'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  );
  const { origin } = request.headers;
  if (origin === undefined || !origins.has(origin)) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', exposedHeaders);
}

/** Answers a browser's CORS preflight request. */
export function answerPreflight(
  { headers }: IncomingMessage,
  origins: ReadonlySet<string>,
): Answer {
  const method = headers['access-control-request-method'];
  if (headers.origin === undefined) {
    throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.');
  }
  if (!origins.has(headers.origin) || method === undefined || !methods.includes(method)) {
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
