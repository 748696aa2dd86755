import type { Socket } from 'node:net';
import { errorAnswer, newRequestId } from './call/write-answer.ts';
import { S3Error } from './wire/s3-error.ts';

const lingerMs = 1_000;

/** Node creates no request for invalid HTTP, so the response is written to the socket. */
export function answerUnparsableRequest(error: Error & { code?: string }, socket: Socket): void {
  // Already answered: Node reports every further piece of invalid data.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const { status, body } = errorAnswer(refusalOf(error.code), '', requestId);
  const text = String(body);
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\ncontent-type: application/xml\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nx-amz-request-id: ${requestId}\r\n\r\n${text}`,
  );
  // Closing while the client still sends would reset the connection and lose the response. Leaving it to
  // the client could keep it open indefinitely.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function refusalOf(code: string | undefined): S3Error {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new S3Error('RequestHeaderSectionTooLarge');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new S3Error('RequestTimeout');
    default:
      return new S3Error('BadRequest');
  }
}
