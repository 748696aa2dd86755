import type { IncomingMessage } from 'node:http';
import { S3Error } from './wire/s3-error.ts';

export interface BodyPace {
  /** A body that brings fewer bytes than this in `withinMs` is refused. */
  readonly bytes: number;
  readonly withinMs: number;
}

/**
 * The body of a request, as long as it arrives at that pace. Only the time that we wait for the client
 * counts. Unlike a limit on silence, this also ends a body that arrives byte by byte.
 */
export async function* readAtPace(
  request: IncomingMessage,
  pace: BodyPace,
): AsyncGenerator<Buffer> {
  // Not destroyed when reading stops early, because the response must still be sent.
  const chunks = request.iterator({ destroyOnReturn: false });
  let bytes = 0;
  let leftMs = pace.withinMs;
  try {
    for (;;) {
      const askedAt = performance.now();
      const { done, value } = await within(chunks.next(), leftMs);
      if (done) return;
      bytes += value.length;
      leftMs -= performance.now() - askedAt;
      if (bytes >= pace.bytes) {
        bytes = 0;
        leftMs = pace.withinMs;
      }
      yield value;
    }
  } finally {
    // Does not wait: after a timeout, the pending read ends only with the connection.
    void chunks.return?.();
  }
}

async function within<T>(next: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new S3Error('RequestTimeout')), Math.max(0, ms));
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}
