/** Longest line in bytes, without its line ending and the file's byte order mark. */
export const maximumLineBytes = 64 * 1024;

/** Longest label in bytes of UTF-8, as it is stored. */
export const maximumLabelBytes = 256;

export type LineFault = 'bad_encoding' | 'line_too_long';

export type KeyFault =
  | { readonly code: 'no_keys' }
  | { readonly code: 'unknown_key'; readonly key: string };
