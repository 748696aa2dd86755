import type { Socket } from 'node:net';
import { errorAnswer, newRequestId } from './call/write-answer.ts';
import { S3Error } from './wire/s3-error.ts';

const lingerMs = 1_000;

/** What Node itself cannot read as HTTP never becomes a request; it is answered on the bare socket. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // Answered already: Node complains again of whatever still arrives.
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
  // Closed at once, while the client still sends, the connection would be reset and the answer lost
  // with it; left to the client, it might stay forever.
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
