import { invalidInput } from '../../domain/errors.ts';

const maxKeyBytes = 1_024;

/** Refuses what S3 does not allow as a key, and what the index would keep as another one. */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes === 0 || bytes > maxKeyBytes || key.includes('\0') || !key.isWellFormed()) {
    throw invalidInput(
      'key',
      `An object's key is 1 to ${maxKeyBytes} bytes of UTF-8 without U+0000.`,
    );
  }
}
