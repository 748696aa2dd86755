import { swapWords } from '../../runs/devices/device-words.ts';
import { columnHeader } from '../rows/native-block.ts';

/** A block of a result: runs and their devices, as words. */
export interface RunBlock {
  readonly runIds: BigUint64Array<ArrayBuffer>;
  readonly devices: Uint32Array<ArrayBuffer>;
}

const runHeader = columnHeader({ name: 'run_id', type: 'UInt64' });
const deviceHeader = columnHeader({ name: 'device', type: 'FixedString(16)' });
const bytesPerRow = 8 + 16;

/** Reads `select run_id, device … format Native` from chunks of any size. */
export function createRunBlockReader(take: (block: RunBlock) => Promise<void>) {
  let chunks: Uint8Array[] = [];
  let received = 0;
  /** The bytes that are needed before more can be read. */
  let needed = 1;

  return {
    async take(chunk: Uint8Array): Promise<void> {
      chunks.push(chunk);
      received += chunk.length;
      if (received < needed) return;
      let bytes = Buffer.concat(chunks);
      for (;;) {
        const size = readSize(bytes);
        needed = size ? size.begin + blockBytes(size.rows) : bytes.length + 1;
        if (!size || bytes.length < needed) break;
        const block = decode(bytes.subarray(size.begin, needed), size.rows);
        if (size.rows > 0) await take(block);
        bytes = bytes.subarray(needed);
      }
      chunks = [bytes];
      received = bytes.length;
    },
    end(): void {
      if (received > 0) throw new Error('a result ends within a block');
    },
  };
}

/** The number of rows of a block, and where its columns begin. Null if the bytes end before that. */
function readSize(bytes: Buffer): { rows: number; begin: number } | null {
  if (bytes.length > 0 && bytes[0] !== 2) throw new Error('a result has unexpected columns');
  let rows = 0;
  for (let begin = 1, factor = 1; begin < bytes.length; factor *= 0x80) {
    const byte = bytes[begin++]!;
    rows += (byte & 0x7f) * factor;
    if (byte < 0x80) return { rows, begin };
  }
  return null;
}

function blockBytes(rows: number): number {
  return runHeader.length + deviceHeader.length + rows * bytesPerRow;
}

/** Copies the values, because they are not aligned. */
function decode(bytes: Buffer, rows: number): RunBlock {
  const runsAt = runHeader.length;
  const headerAt = runsAt + rows * BigUint64Array.BYTES_PER_ELEMENT;
  const devicesAt = headerAt + deviceHeader.length;
  if (
    !runHeader.equals(bytes.subarray(0, runsAt)) ||
    !deviceHeader.equals(bytes.subarray(headerAt, devicesAt))
  ) {
    throw new Error('a result has unexpected columns');
  }
  const runIds = new BigUint64Array(new Uint8Array(bytes.subarray(runsAt, headerAt)).buffer);
  const devices = new Uint32Array(new Uint8Array(bytes.subarray(devicesAt)).buffer);
  swapWords(devices);
  return { runIds, devices };
}
