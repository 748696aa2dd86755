import { setImmediate } from 'node:timers/promises';

/** Otherwise one body is read for up to 2 MB before other events are served. */
const bytesPerTurn = 256 << 10;

/**
 * The chunks of a request's body. Each one is valid until the next one is requested, and then freed: chunks
 * that wait for the garbage collector cause a full collection about every 64 MB, which stops the process
 * for tens of milliseconds. Gives way to other events in between.
 */
export async function* receive(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    yield chunk;
    free(chunk);
    if (bytes < bytesPerTurn) continue;
    bytes = 0;
    await setImmediate();
  }
}

/** Moves the memory of the chunk to a buffer of no bytes, which frees it. */
function free({ buffer, byteLength }: Buffer): void {
  const isWhole = byteLength === buffer.byteLength;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
