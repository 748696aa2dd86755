import { deviceBytes } from '../../../domain/device-id.ts';

/**
 * Reads what our own writer lays down in thrift's compact protocol, in the order in which it does.
 * hyparquet reads any, into objects: 12 µs for each page of an index, against a fraction of one.
 */
export interface ThriftReader {
  /** Throws unless the field after the last is of that type. */
  expectField(type: number): void;
  listLength(): number;
  /** A field that is a number of 32 or 64 bits. */
  numberField(): number;
  /** The 16 bytes of a device, behind their length, as words. */
  device(into: Uint32Array, at: number): void;
  skip(bytes: number): void;
}

export const listField = 9;
const shortNumberField = 5;
const longNumberField = 6;

export function readThrift(bytes: Uint8Array, begin: number): ThriftReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = begin;

  /** The type of the next field, which is one number up from the last. */
  function fieldType(): number {
    const byte = view.getUint8(at++);
    if (byte >>> 4 !== 1) throw new Error('it is laid out in another way');
    return byte & 15;
  }

  /** Seven bits a byte, the low ones first; offsets may have more than 32. */
  function unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = view.getUint8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  return {
    expectField(type) {
      if (fieldType() !== type) throw new Error('it is laid out in another way');
    },
    listLength() {
      const short = view.getUint8(at++) >>> 4;
      return short < 15 ? short : unsigned();
    },
    numberField() {
      const type = fieldType();
      if (type !== shortNumberField && type !== longNumberField) {
        throw new Error('it is laid out in another way');
      }
      // Zigzag, of which ours are never the odd ones, for those are below zero.
      return unsigned() / 2;
    },
    device(into, to) {
      if (view.getUint8(at++) !== deviceBytes) throw new Error('it is laid out in another way');
      for (let word = 0; word < 4; word++) into[to + word] = view.getUint32(at + word * 4);
      at += deviceBytes;
    },
    skip(count) {
      at += count;
    },
  };
}
