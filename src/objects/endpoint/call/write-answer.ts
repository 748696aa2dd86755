import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Error } from '../wire/s3-error.ts';
import { buildErrorXml } from '../wire/xml.ts';
import type { Answer } from './call.ts';

export async function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, body }: Answer,
): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (typeof body === 'string') response.setHeader('content-length', Buffer.byteLength(body));
  if (body === undefined && status !== 204 && status !== 304 && request.method !== 'HEAD') {
    response.setHeader('content-length', 0);
  }
  if (typeof body === 'object') {
    await pipeline(Readable.from(body, { objectMode: false }), response);
  } else {
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

export function newRequestId(): string {
  return randomBytes(8).toString('hex').toUpperCase();
}

/** S3's error document. `resource` is the path as received. */
export function errorAnswer(error: S3Error, resource: string, requestId: string): Answer {
  const { code, message, details } = error;
  return {
    status: error.status,
    headers: {
      'content-type': 'application/xml',
      ...(error.code === 'ServiceUnavailable' && { 'retry-after': '2' }),
      ...(error.code === 'SlowDown' && { 'retry-after': '1' }),
      ...(error.code === 'InvalidRange' && {
        'content-range': `bytes */${details.ActualObjectSize}`,
      }),
    },
    body: buildErrorXml({
      Code: code,
      Message: message,
      ...details,
      Resource: resource,
      RequestId: requestId,
    }),
  };
}
