const lastCodePoint = 0x10ffff;

/** The keys from `from` up to but not including `to`; without end if `to` is null. */
export interface KeyRange {
  readonly from: string;
  readonly to: string | null;
}

/** A prefix as a range, because an index serves ranges in every database and for every prefix. */
export function keysBeginningWith(prefix: string): KeyRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return { from: prefix, to: null };
  // UTF-8 sorts by code point. Surrogates (d800 to dfff) are not encoded.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return { from: prefix, to: String.fromCodePoint(...points, next) };
}

/**
 * Cuts a marker at its first U+0000, which the database rejects. No key contains U+0000, so the
 * same keys sort after the whole text and after the part before it.
 */
export function beforeNul(text: string): string {
  const [before = ''] = text.split('\0', 1);
  return before;
}
