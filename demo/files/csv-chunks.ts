/** Writes the lines of one device, if it has any, and returns where they end. */
export type WriteLines = (out: Buffer, at: number, device: number) => number;

const chunkBytes = 1 << 20;
/** The maximum length of all lines of one device. */
const longestLines = 4_096;

/** The lines of all devices, in chunks. Reports progress before each chunk. */
export async function* csvChunks(
  header: string,
  devices: number,
  writeLines: WriteLines,
  onProgress: (devicesDone: number) => void,
): AsyncGenerator<Buffer> {
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let end = chunk.write(`${header}\n`);
  for (let device = 0; device < devices; device++) {
    if (end + longestLines > chunkBytes) {
      onProgress(device);
      yield chunk.subarray(0, end);
      chunk = Buffer.allocUnsafe(chunkBytes);
      end = 0;
    }
    end = writeLines(chunk, end, device);
  }
  onProgress(devices);
  yield chunk.subarray(0, end);
}

/** Byte by byte, which is faster than Buffer methods for a few bytes. */
export function writeBytes(out: Buffer, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) out[at + index] = bytes[index]!;
  return at + bytes.length;
}
