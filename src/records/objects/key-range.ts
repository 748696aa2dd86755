const lastCodePoint = 0x10ffff;

/** Every key that begins with the prefix is at least `from` and, unless null, below `to`. */
export interface KeyRange {
  readonly from: string;
  readonly to: string | null;
}

/** As a range, because an index serves that with any database and any prefix. */
export function keysBeginningWith(prefix: string): KeyRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return { from: prefix, to: null };
  // In UTF-8 the order of bytes is that of code points, of which surrogates are none.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return { from: prefix, to: String.fromCodePoint(...points, next) };
}

/**
 * Text from outside as the database can take it. No key holds U+0000, so what sorts after a text
 * that does is just what sorts after the part before it.
 */
export function beforeNul(text: string): string {
  const [before = ''] = text.split('\0', 1);
  return before;
}
