import { invalidInput, TributaryError } from './errors.ts';
import { sharedBucketKey } from './source-path.ts';

/**
 * Which key a file is uploaded to. What passes here passes as the `file_path` of an import, and then
 * means the same place; a file that is to be put somewhere is held to a little more.
 */
export function uploadKey(prefix: string, path: string): string | TributaryError {
  const key = sharedBucketKey(prefix, path);
  if (key instanceof TributaryError) return refused(key.message.replace(/^file_path /, ''));
  if (key.endsWith('/')) return refused('ends in "/": name a file, not a folder');
  // Browsers take it out of any address, however it is spelt, and would upload to another key.
  if (key.split('/').includes('.')) return refused('must not have a "." segment');
  return key;
}

function refused(why: string): TributaryError {
  return invalidInput('/path', `path ${why}`);
}
