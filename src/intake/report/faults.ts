/** The longest line, without its ending and the file's byte order mark. */
export const maximumLineBytes = 64 * 1024;

/** The longest label, in UTF-8. */
export const maximumLabelBytes = 256;

export type LineFault = 'bad_encoding' | 'line_too_long';

export type KeyFault =
  | { readonly code: 'no_keys' }
  | { readonly code: 'unknown_key'; readonly key: string };
