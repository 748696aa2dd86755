/**
 * Characters that a name must not have: control characters, lone surrogates, line separators, characters
 * that change the direction of text, and invisible ones.
 */
const forbidden =
  '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff';

/** A name: not only blanks, and no character that is forbidden. */
export const displayNamePattern = `^(?!\\s+$)[^${forbidden}]*$`;

/** The name as it is stored: without blanks around it, and in Unicode's composed form (NFC). */
export function displayName(text: string): string {
  return text.trim().normalize('NFC');
}

/** Letters that look alike in most fonts, by the letter that stands for them. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аɑα',
  b: 'Ьƅ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еҽ',
  g: 'ɡ',
  h: 'һ',
  i: '1l|іıӏΙ',
  j: 'ј',
  k: 'кκ',
  m: 'м',
  n: 'ո',
  o: '0оοօ',
  p: 'рρ',
  q: 'ԛ',
  s: '5ѕ',
  t: 'т',
  u: 'υս',
  v: 'ѵν',
  w: 'ԝ',
  x: 'хχ',
  y: 'уү',
};
const letterOf = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) =>
    [...others].map((other) => [other, letter] as const),
  ),
);

/** The same for names that a person may take for one another. */
export function appearanceOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}|]/gu, '');
  const letters = [...plain].map((letter) => letterOf.get(letter) ?? letter).join('');
  return letters.replaceAll('rn', 'm').replaceAll('vv', 'w');
}
