import { limits } from '../../domain/limits.ts';

/** The longest line, without its ending and the file's byte order mark. */
export const maximumLineBytes = limits.lineBytes.most;

/** The longest label, in UTF-8. */
export const maximumLabelBytes = limits.labelBytes.most;

export type LineFault = 'bad_encoding' | 'line_too_long';

export type KeyFault =
  | { readonly code: 'no_keys' }
  | { readonly code: 'unknown_key'; readonly key: string };
