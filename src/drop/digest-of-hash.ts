import { digestBytes } from '../domain/privacy/standard-id.ts';

const hashShape = /^[A-Za-z0-9+/]{43}=$/;

/** Whether it has the form of a hash that DROP lists. */
export function isHash(text: string): boolean {
  return hashShape.test(text);
}

/** Writes the digest of a hash. */
export function writeDigest(hash: string, into: Buffer, at: number): void {
  into.write(hash, at, digestBytes, 'base64');
}
