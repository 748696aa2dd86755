import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { TributaryError } from '../../domain/errors.ts';
import { problemOf } from './problems.ts';

const lingerMs = 1_000;

/** Node cannot parse the input as HTTP, so there is no request: the response is written to the socket. */
export function answerUnparsableRequest(error: Error & { code?: string }, socket: Socket): void {
  // Already answered. Node reports every further chunk as another error.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(errorOf(error.code), randomUUID());
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${problem.request_id}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Closing at once, while the client still sends, would reset the connection and lose the response.
  // Waiting for the client to close might take forever.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function errorOf(code: string | undefined): TributaryError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new TributaryError(
        'headers_too_large',
        'The headers are larger than 16 KiB. Send smaller headers.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new TributaryError(
        'request_timeout',
        'The headers did not arrive in time. Send the request again.',
      );
    default:
      return new TributaryError('malformed_body', 'The request is not valid HTTP.');
  }
}
