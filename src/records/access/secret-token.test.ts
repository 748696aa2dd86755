import { expect, test } from 'vitest';
import { createSecretTokens, isSameHash } from './secret-token.ts';

const tokens = createSecretTokens('key');

test('a token is recognised by its stored part, which does not contain the secret', () => {
  const { token, ...stored } = tokens.mint();
  expect(token).toMatch(/^trib_key_[0-9a-f]{16}_[\w-]{43}$/);
  expect(tokens.read(token)).toEqual(stored);
  const secret = token.slice(-43);
  expect(stored.secretHash).toHaveLength(32);
  expect(stored.secretHash.equals(Buffer.from(secret, 'base64url'))).toBe(false);
});

test('two tokens have nothing in common', () => {
  const [one, other] = [tokens.mint(), tokens.mint()];
  expect(one.lookup).not.toBe(other.lookup);
  expect(isSameHash(one.secretHash, other.secretHash)).toBe(false);
  expect(isSameHash(one.secretHash, Buffer.from(one.secretHash))).toBe(true);
});

test('text of another form is not a token', () => {
  const { token } = tokens.mint();
  const others = [
    '',
    token.slice(0, -1),
    `${token}A`,
    `${token}\n`,
    ` ${token}`,
    token.toUpperCase(),
    createSecretTokens('user').mint().token,
  ];
  for (const other of others) expect(tokens.read(other)).toBeUndefined();
});
