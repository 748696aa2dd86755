import { expect, it } from 'vitest';
import { emailKey } from './email.ts';

it.each([
  ['Ada@Harbor.Example', 'ada@harbor.example'],
  ['Ü@x.example', 'ü@x.example'],
  ['e\u0301@x.example', '\u00e9@x.example'],
])('%s and %s are the same address', (one, other) => {
  expect(emailKey(one)).toBe(emailKey(other));
});

it('different addresses have different keys', () => {
  expect(emailKey('ada@x.example')).not.toBe(emailKey('ada@y.example'));
});
