import { expect, test } from 'vitest';
import { createSecretTokens, isSameHash } from './secret-token.ts';

const tokens = createSecretTokens('trib_test');

test('a token is found and recognized by what is kept of it, which does not give it away', () => {
  const { token, ...kept } = tokens.mint();
  expect(token).toMatch(/^trib_test_[0-9a-f]{16}_[\w-]{43}$/);
  expect(tokens.read(token)).toEqual(kept);
  const secret = token.slice(-43);
  expect(kept.secretHash).toHaveLength(32);
  expect(kept.secretHash.equals(Buffer.from(secret, 'base64url'))).toBe(false);
});

test('two tokens have nothing in common', () => {
  const [one, other] = [tokens.mint(), tokens.mint()];
  expect(one.lookup).not.toBe(other.lookup);
  expect(isSameHash(one.secretHash, other.secretHash)).toBe(false);
  expect(isSameHash(one.secretHash, Buffer.from(one.secretHash))).toBe(true);
});

test('what has not the shape of such a token is none', () => {
  const { token } = tokens.mint();
  const others = [
    '',
    token.slice(0, -1),
    `${token}A`,
    `${token}\n`,
    ` ${token}`,
    token.toUpperCase(),
    createSecretTokens('trib_other').mint().token,
  ];
  for (const other of others) expect(tokens.read(other)).toBeUndefined();
});
