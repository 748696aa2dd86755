import { invalidInput, type TributaryError } from './errors.ts';

/**
 * Where in the shared bucket a `file_path` points: the partner's prefix and what was sent.
 * The outcome always begins with the prefix, whatever the input; a path that would not is refused.
 */
export function sharedBucketKey(prefix: string, filePath: string): string | TributaryError {
  const relative = filePath.startsWith('/') ? filePath.slice(1) : filePath;
  if (relative === '') {
    return refused('is empty: name a file, or a prefix of files, below your own prefix');
  }
  if (/^s3:\/\//i.test(filePath)) {
    return refused(
      'is relative to your prefix in the shared bucket: leave out s3:// and the bucket',
    );
  }
  if (hasControlCharacters(relative)) return refused('must not hold control characters');
  if (!relative.isWellFormed()) return refused('must be well-formed Unicode');
  if (relative.split('/').includes('..')) return refused('must not have a ".." segment');
  const key = prefix + relative;
  if (Buffer.byteLength(key) > maximumKeyBytes) {
    return refused(`makes a key of more than ${maximumKeyBytes} bytes together with your prefix`);
  }
  return key;
}

/** As in S3. */
export const maximumKeyBytes = 1024;

export function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function refused(why: string): TributaryError {
  return invalidInput('/file_path', `file_path ${why}`);
}
