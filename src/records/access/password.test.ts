import { expect, it } from 'vitest';
import { dummyHash, hashPassword, isPassword } from './password.ts';

it('accepts the password of a hash and no other', async () => {
  const hash = await hashPassword('correct horse battery staple');
  expect(await isPassword('correct horse battery staple', hash)).toBe(true);
  expect(await isPassword('correct horse battery stapl', hash)).toBe(false);
  expect(await isPassword('', hash)).toBe(false);
});

it('hashes the same password differently each time, as a PHC string of argon2id', async () => {
  const [one, other] = await Promise.all([hashPassword('same'), hashPassword('same')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(one).not.toBe(other);
});

it('reads hashes with other cost parameters', async () => {
  // By the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1`.
  const hash =
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await isPassword('password', hash)).toBe(true);
  expect(await isPassword('Password', hash)).toBe(false);
});

it('treats composed and decomposed letters as the same', async () => {
  const hash = await hashPassword('caf\u00e9 au lait, please');
  expect(await isPassword('cafe\u0301 au lait, please', hash)).toBe(true);
});

it('has a dummy hash that matches no password', async () => {
  expect(await isPassword('', dummyHash)).toBe(false);
});
