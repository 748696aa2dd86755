import { createHash } from 'node:crypto';

/** The size and checksum of a file. */
export interface Checked {
  readonly bytes: number;
  readonly sha256: string;
}

export interface Meter {
  /** Passes the chunks on and measures them. */
  through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Of the chunks so far. Ends the measurement. */
  result(): Checked;
}

/** `onBytes` gets the size of each chunk. */
export function createMeter(onBytes: (bytes: number) => void = () => {}): Meter {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *through(content) {
      for await (const chunk of content) {
        hash.update(chunk);
        bytes += chunk.length;
        onBytes(chunk.length);
        yield chunk;
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}

export async function measure(
  content: AsyncIterable<Uint8Array>,
  onBytes?: (bytes: number) => void,
): Promise<Checked> {
  const meter = createMeter(onBytes);
  for await (const _ of meter.through(content));
  return meter.result();
}
