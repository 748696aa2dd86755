import { S3Error } from '../wire/s3-error.ts';

const lineFeed = 0x0a;

/** Reads lines and bytes from the same stream. */
export interface ByteReader {
  /** The next line without its line ending; undefined at the end of the stream. */
  line(maximumBytes: number): Promise<string | undefined>;
  /** The next bytes, at least one. Throws IncompleteBody at the end of the stream. */
  some(maximumBytes: number): Promise<Buffer>;
  /** Releases the stream. */
  close(): Promise<void>;
}

export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let pending: Buffer = Buffer.alloc(0);

  async function next(): Promise<Buffer | undefined> {
    const { done, value } = await iterator.next();
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  return {
    async line(maximumBytes) {
      for (;;) {
        const end = pending.indexOf(lineFeed);
        if (end > maximumBytes || (end < 0 && pending.length > maximumBytes)) {
          throw new S3Error('InvalidRequest', 'A line of the aws-chunked body is too long.');
        }
        if (end >= 0) {
          const line = pending.subarray(0, end).toString('latin1');
          pending = pending.subarray(end + 1);
          return line.replace(/\r$/, '');
        }
        const begun = Buffer.from(pending);
        const more = await next();
        if (!more) {
          if (begun.length === 0) return undefined;
          throw new S3Error('IncompleteBody');
        }
        pending = begun.length === 0 ? more : Buffer.concat([begun, more]);
      }
    },

    async some(maximumBytes) {
      while (pending.length === 0) {
        const more = await next();
        if (!more) throw new S3Error('IncompleteBody');
        pending = more;
      }
      const taken = pending.subarray(0, maximumBytes);
      pending = pending.subarray(taken.length);
      return taken;
    },

    async close() {
      await iterator.return?.();
    },
  };
}
