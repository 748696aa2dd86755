import {
  headerNumber,
  inPlace,
  type RowBatch,
  removal,
  wordsPerDevice,
} from '../../../domain/row-batch.ts';
import { decodeDevices, encodeDevices } from '../devices/device-words.ts';

/** A row in readable form. `names` null means a removal from all segments. */
export interface Row {
  readonly device: string;
  readonly names: readonly number[] | null;
  readonly removes?: boolean;
}

export function wordsOfHex(hex: string): Uint32Array {
  return decodeDevices(Buffer.from(hex, 'hex'));
}

export function hexOf(devices: Uint32Array): string[] {
  return Buffer.from(encodeDevices(devices)).toString('hex').match(/.{32}/g) ?? [];
}

/** Packs rows as the intake does: a single segment number in the header, several after it. */
export function packRows(rows: readonly Row[]): Uint32Array<SharedArrayBuffer> {
  const words: number[] = [];
  for (const { device, names, removes } of rows) {
    const flag = removes || names === null ? removal : 0;
    words.push(...wordsOfHex(device));
    if (names?.length === 1) words.push(flag | inPlace | names[0]!);
    else words.push(flag | (names?.length ?? 0), ...(names ?? []));
  }
  const packed = new Uint32Array(
    new SharedArrayBuffer(words.length * Uint32Array.BYTES_PER_ELEMENT),
  );
  packed.set(words);
  return packed;
}

/** The reverse of `packRows`. */
export function unpackRows(words: Uint32Array): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < words.length; ) {
    const [device] = hexOf(words.subarray(at, at + wordsPerDevice));
    const header = words[at + wordsPerDevice]!;
    const number = header & headerNumber;
    const isListed = (header & inPlace) === 0;
    const begin = at + wordsPerDevice + 1;
    at = begin + (isListed ? number : 0);
    const removes = (header & removal) !== 0;
    let names: number[] | null = isListed ? [...words.subarray(begin, at)] : [number];
    if (!isListed && removes && number === headerNumber) names = [];
    else if (removes && names.length === 0) names = null;
    rows.push({ device: device!, names, ...(removes ? { removes } : {}) });
  }
  return rows;
}

export function batchOf(rows: readonly Row[], numbering: Uint32Array | null = null): RowBatch {
  return { words: packRows(rows), rows: rows.length, numbering, release() {} };
}

/** A device for a number, with its first bytes spread evenly, so that devices fall into all parts. */
export function spreadDevice(number: number): string {
  const bytes = Buffer.alloc(16, 0xa7);
  bytes.writeUInt32BE(Math.imul(number, 0x9e37_79b1) >>> 0, 0);
  bytes.writeUInt32BE(number, 12);
  return bytes.toString('hex');
}
