import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redirectAddressFault } from './redirect-address.ts';

const soak = process.env.TRIBUTARY_SOAK === '1';

test.each([
  'https://app.example/callback',
  'https://app.example/',
  'https://app.example:8443/callback?tenant=1',
  'http://localhost:3000/callback',
  'http://127.0.0.1/',
  'http://[::1]:3000/callback',
])('%s is accepted', (address) => {
  expect(redirectAddressFault(address)).toBeUndefined();
});

test.each([
  ['', 'must be an absolute URL'],
  ['/callback', 'must be an absolute URL'],
  ['https://', 'must be an absolute URL'],
  ['javascript:alert(1)', 'must begin with https://'],
  ['com.example.app:/callback', 'must begin with https://'],
  ['http://app.example/callback', 'must begin with https://, unless'],
  ['http://localhost.example/', 'must begin with https://, unless'],
  ['http://127.0.0.1.example/', 'must begin with https://, unless'],
  ['https://app.example/callback#', 'must not have a fragment'],
  ['https://app.example/#a', 'must not have a fragment'],
  ['https://*.app.example/', 'must not have a wildcard'],
  ['https://app.example:0/', 'must not have port 0'],
  ['https://app.example/?code=1', 'must not have code in its query'],
  ['https://app.example/?a=1&%73tate=2', 'must not have state in its query'],
  ['https://app.example/*', 'must not have a wildcard'],
  ['https://user@app.example/', 'must not contain a user or password'],
  ['https://:secret@app.example/', 'must not contain a user or password'],
  ['https://app.example', 'must be written as https://app.example/'],
  ['https://APP.example/', 'must be written as https://app.example/'],
  ['https://app.example:443/', 'must be written as https://app.example/'],
  ['https://app.example/a/../b', 'must be written as https://app.example/b'],
  ['https:\\\\app.example\\', 'must be written as https://app.example/'],
  [' https://app.example/', 'must be written as https://app.example/'],
  ['https://app.exam\tple/', 'must be written as https://app.example/'],
  ['https://münchen.example/', 'must be written as https://xn--mnchen-3ya.example/'],
])('%j is refused: %s', (address, fault) => {
  expect(redirectAddressFault(address)).toContain(fault);
});

test('an accepted address is unchanged by a browser’s URL parser and leads to the host it names', () => {
  const address = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ unit: 'binary' }).map((text) => `https://app.example/${text}`),
    fc.string({ unit: 'binary' }).map((text) => `https://${text}`),
  );
  const property = fc.property(address, (text) => {
    if (redirectAddressFault(text) !== undefined) return;
    const url = new URL(text);
    expect(url.href).toBe(text);
    expect(text.startsWith(`${url.protocol}//${url.host}/`)).toBe(true);
  });
  fc.assert(property, { numRuns: soak ? 20_000 : 500 });
});
