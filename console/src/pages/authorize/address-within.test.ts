import { expect, test } from 'vitest';
import { addressWithin } from './address-within.ts';

const origin = 'https://api.example.com';

test('an address of the same origin is accepted', () => {
  const address = `${origin}/oauth/authorize/yGm2SmB4uWZlTq0pV4bPm`;
  expect(addressWithin(origin, address)).toBe(address);
  expect(addressWithin(origin, '/oauth/authorize/x')).toBe(`${origin}/oauth/authorize/x`);
});

test.each([
  'https://evil.example/oauth/authorize/x',
  '//evil.example/',
  '/\\evil.example/',
  'https://api.example.com.evil.example/',
  'https://api.example.com@evil.example/',
  'https://api.example.com:8443/',
  'http://api.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://',
])('%s is refused', (address) => {
  expect(() => addressWithin(origin, address)).toThrow('another site');
});
