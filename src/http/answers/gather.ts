import { Readable } from 'node:stream';

/** The body of a response: a text, bytes, or a stream of them. */
export type Body = string | Buffer | Readable;

/**
 * A stream with at most this many bytes as one body. A longer one stays a stream, and no more of it is kept
 * in memory.
 */
export async function gather(body: Body, mostBytes: number): Promise<Body> {
  if (!(body instanceof Readable)) return body;
  const chunks: AsyncIterator<string | Buffer> = body[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let size = 0;
  while (size <= mostBytes) {
    const { done, value } = await chunks.next();
    if (done) return Buffer.concat(parts);
    const part = Buffer.from(value as string);
    parts.push(part);
    size += part.length;
  }
  return Readable.from(continued(Buffer.concat(parts), chunks), { highWaterMark: 1 });
}

async function* continued(begin: Buffer, rest: AsyncIterator<string | Buffer>) {
  yield begin;
  yield* { [Symbol.asyncIterator]: () => rest };
}
