import { wordsPerDevice } from '../../../domain/row-batch.ts';

export const deviceBits = wordsPerDevice * 32;

/**
 * `bits` bits of a device, after the first `prefix` ones. They assign rows to parts and buckets. If
 * all devices share the prefix, parts and buckets are in the order of the devices.
 */
export interface BitWindow {
  readonly prefix: number;
  readonly bits: number;
}

/** The bits after a common prefix, or the last bits of the device if too few follow. */
export function windowAfter(prefix: number, bits: number): BitWindow {
  return { prefix: Math.min(prefix, deviceBits - bits), bits };
}

/** All devices have the same value. */
export const emptyWindow: BitWindow = { prefix: 0, bits: 0 };

/** Divides incoming rows into 512 parts. */
export const initialWindow: BitWindow = { prefix: 0, bits: 9 };
