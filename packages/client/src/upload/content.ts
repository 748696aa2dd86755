import { open } from 'node:fs/promises';

/** Bytes that can be read from any place, as often as needed. */
export interface Content extends AsyncDisposable {
  readonly size: number;
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

const chunkBytes = 256 * 1024;

/** The content of a file, or bytes. */
export async function openContent(source: string | Uint8Array): Promise<Content> {
  if (typeof source !== 'string') {
    const bytes = new Uint8Array(source);
    return {
      size: bytes.length,
      read: async (start, end) => bytes.subarray(start, end),
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const file = await open(source);
  const { size } = await file.stat();
  return {
    size,
    async read(start, end) {
      const bytes = new Uint8Array(end - start);
      for (let filled = 0; filled < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) throw new Error(`${source} became shorter while it was uploaded`);
        filled += bytesRead;
      }
      return bytes;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** The content as a stream. Reports how many bytes were read so far. */
export function streamOf(
  content: Content,
  onRead: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (at >= content.size) return controller.close();
        const end = Math.min(at + chunkBytes, content.size);
        controller.enqueue(await content.read(at, end));
        at = end;
        onRead(at);
      },
    },
    { highWaterMark: 0 },
  );
}
