import { expect, test } from 'vitest';
import { createSealing } from './sealing.ts';

const oldKey = 'a first secret key of the operator';
const newKey = 'the secret key that follows it';

test('a sealed secret can be opened again and does not appear in the bytes', () => {
  const sealing = createSealing([oldKey]);
  const sealed = sealing.seal('wJalrXUtnFEMI', 'job 1');
  expect(sealed.toString('latin1')).not.toContain('wJalr');
  expect(sealing.open(sealed, 'job 1')).toBe('wJalrXUtnFEMI');
});

test('sealing twice gives different bytes', () => {
  const sealing = createSealing([oldKey]);
  expect(sealing.seal('x', 'c').equals(sealing.seal('x', 'c'))).toBe(false);
});

test('changed bytes, or another context, do not open', () => {
  const sealing = createSealing([oldKey]);
  const sealed = sealing.seal('secret', 'job 1');
  expect(() => sealing.open(sealed, 'job 2')).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealing.open(changed, 'job 1')).toThrow();
  }
});

test('after a rotation the new key seals and both keys open', () => {
  const sealedBefore = createSealing([oldKey]).seal('secret', 'c');
  const rotated = createSealing([newKey, oldKey]);
  expect(rotated.open(sealedBefore, 'c')).toBe('secret');
  const sealedAfter = rotated.seal('secret', 'c');
  expect(createSealing([newKey]).open(sealedAfter, 'c')).toBe('secret');
  expect(() => createSealing([oldKey]).open(sealedAfter, 'c')).toThrow('TRIBUTARY_SECRET_KEY');
});
