import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { TributaryError } from '../../domain/errors.ts';
import { problemOf } from './problems.ts';

const lingerMs = 1_000;

/** What Node itself cannot read as HTTP never becomes a request; it is answered on the bare socket. */
export function answerUnparsableRequest(error: Error & { code?: string }, socket: Socket): void {
  // Answered already: Node complains again of whatever still arrives.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(refusalOf(error.code), randomUUID());
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${problem.request_id}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Closed at once, while the client still sends, the connection would be reset and the answer lost
  // with it; left to the client, it might stay forever.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function refusalOf(code: string | undefined): TributaryError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new TributaryError(
        'headers_too_large',
        'The headers have more than 16 KiB: send less.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new TributaryError(
        'request_timeout',
        'The headers did not arrive in time: send the request again.',
      );
    default:
      return new TributaryError('malformed_body', 'This is not a well-formed HTTP request.');
  }
}
