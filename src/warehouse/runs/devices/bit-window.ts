import { wordsPerDevice } from '../../../domain/row-batch.ts';

export const deviceBits = wordsPerDevice * 32;

/**
 * So many bits of a device from one on. Devices that agree in all bits before are told apart by
 * them, in their order: that is how rows find their part and their bucket.
 */
export interface Window {
  readonly prefix: number;
  readonly bits: number;
}

/** The bits that follow a common prefix, or the device's last ones. */
export function windowAfter(prefix: number, bits: number): Window {
  return { prefix: Math.min(prefix, deviceBits - bits), bits };
}

/** Tells nothing apart. */
export const noBits: Window = { prefix: 0, bits: 0 };

/** Rows go by these while they are taken in, into 512 parts. */
export const firstBits: Window = { prefix: 0, bits: 9 };
