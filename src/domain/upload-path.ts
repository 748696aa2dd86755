import { invalidInput, TributaryError } from './errors.ts';
import { sharedBucketKey } from './source-path.ts';

/**
 * The key that a file is uploaded to. Every accepted path is also valid as the `file_path` of an
 * import and names the same key. Uploads are restricted a little more.
 */
export function uploadKey(prefix: string, path: string): string | TributaryError {
  const key = sharedBucketKey(prefix, path);
  if (key instanceof TributaryError) return refused(key.message.replace(/^file_path /, ''));
  if (key.endsWith('/')) return refused('must not end in "/": name a file, not a folder');
  // Browsers remove it from URLs, even percent-encoded, and would upload to another key.
  if (key.split('/').includes('.')) return refused('must not contain a "." segment');
  return key;
}

function refused(why: string): TributaryError {
  return invalidInput('/path', `path ${why}`);
}
