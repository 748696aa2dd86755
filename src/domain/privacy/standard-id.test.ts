import { expect, it } from 'vitest';
import { identifiersIn, standardId, wordsOfHex } from './standard-id.ts';

const standard = 'a3f1c2d4567890abcdef1234567890ab';

it('is the same for every spelling of an identifier', () => {
  for (const text of [
    'a3f1c2d4-5678-90ab-cdef-1234567890ab',
    'A3F1C2D4-5678-90AB-CDEF-1234567890AB',
    '{A3F1C2D4-5678-90AB-CDEF-1234567890AB}',
    '  a3f1c2d4 5678 90ab cdef 1234567890ab\n',
    standard,
  ]) {
    expect(standardId(text)).toBe(standard);
  }
});

it('is null without exactly 32 digits', () => {
  expect(standardId(`${standard}0`)).toBeNull();
  expect(standardId(standard.slice(1))).toBeNull();
  expect(standardId('')).toBeNull();
});

it('finds identifiers in a text, with and without hyphens', () => {
  const line = `"A3F1C2D4-5678-90AB-CDEF-1234567890AB",x,${standard};a3f1c2d4-5678`;
  expect(identifiersIn(line)).toEqual([standard, standard]);
  expect(identifiersIn('tea|coffee')).toEqual([]);
});

it('packs digits into words with the first digit in the highest bits', () => {
  expect([...wordsOfHex(standard)]).toEqual([0xa3f1_c2d4, 0x5678_90ab, 0xcdef_1234, 0x5678_90ab]);
});
