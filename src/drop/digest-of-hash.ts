import { digestBytes } from '../domain/privacy/standard-id.ts';

const hashShape = /^[A-Za-z0-9+/]{43}=$/;

/** The digest of a hash that DROP lists. Null if it is not one. */
export function digestOfHash(hash: string): Uint8Array | null {
  if (!hashShape.test(hash)) return null;
  return Buffer.from(hash, 'base64').subarray(0, digestBytes);
}
