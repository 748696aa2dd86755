import { parseDeviceId } from '../../src/domain/device-id.ts';
import { inPlace, type RowBatch, removal } from '../../src/domain/row-batch.ts';

export interface Row {
  /** As a UUID. */
  readonly device: string;
  /** The numbers of its segments. */
  readonly numbers: readonly number[];
  /** Removes the device from the segments; from all if there are none. */
  readonly isRemoval?: boolean;
}

/** Rows as the intake packs them. */
export function rowBatch(rows: readonly Row[], release = () => {}): RowBatch {
  const packed = rows.flatMap(({ device, numbers, isRemoval = false }) => [
    ...wordsOf(device),
    ...namesOf(numbers, isRemoval ? removal : 0),
  ]);
  const words = new Uint32Array(new SharedArrayBuffer(packed.length * 4));
  words.set(packed);
  return { words, rows: rows.length, numbering: null, release };
}

function wordsOf(device: string): number[] {
  const bytes = new Uint8Array(16);
  parseDeviceId(device, bytes);
  const view = new DataView(bytes.buffer);
  return [0, 4, 8, 12].map((at) => view.getUint32(at));
}

function namesOf(numbers: readonly number[], flag: number): number[] {
  const [only] = numbers;
  if (numbers.length === 1 && only !== undefined) return [(flag | inPlace | only) >>> 0];
  return [(flag | numbers.length) >>> 0, ...numbers];
}
