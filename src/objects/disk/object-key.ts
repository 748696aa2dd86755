import { invalidInput } from '../../domain/errors.ts';
import { maximumKeyBytes } from '../../domain/source-path.ts';

/** Refuses keys that S3 does not allow or that the index would change. */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes === 0 || bytes > maximumKeyBytes || key.includes('\0') || !key.isWellFormed()) {
    throw invalidInput(
      'key',
      `An object key must have 1 to ${maximumKeyBytes} bytes of UTF-8 without U+0000.`,
    );
  }
}
