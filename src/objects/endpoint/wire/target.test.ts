import { describe, expect, test } from 'vitest';
import { canonicalQuery, parseTarget } from './target.ts';
import { uriEncode } from './uri.ts';

const parse = (url: string, host = 'localhost:9000') => parseTarget(url, host, 'tributary');

describe('the target of a request', () => {
  test.each([
    ['/', undefined, ''],
    ['/tributary', 'tributary', ''],
    ['/tributary/', 'tributary', ''],
    ['/tributary/a/b', 'tributary', 'a/b'],
    ['/tributary//a//', 'tributary', '/a//'],
    ['/tributary/../x', 'tributary', '../x'],
    ['/tributary/%2e%2e%2Fx', 'tributary', '../x'],
    ['/tributary/a%2Bb+c%20d', 'tributary', 'a+b+c d'],
    ['/tributary/%C3%A9', 'tributary', 'é'],
    ['/tributary/\u00c3\u00a9', 'tributary', 'é'],
    ['/other/x', 'other', 'x'],
    ['//tributary/x', undefined, ''],
  ])('%s is read from the path', (url, bucket, key) => {
    expect(parse(url)).toMatchObject({ bucket, key });
  });

  test.each([
    ['tributary.localhost:9000', '/a/b', 'a/b'],
    ['TRIBUTARY.example.com', '/', ''],
    ['tributary.example.com', '/tributary/a', 'a'],
    ['tributary.example.com', '/tributary', ''],
    ['tributaryx.example.com', '/tributary/a', 'a'],
  ])('with the host %s, %s is read', (host, url, key) => {
    expect(parse(url, host)).toMatchObject({ bucket: 'tributary', key });
  });

  test.each(['*', 'x', 'http://x/y', '/%', '/%zz', '/%ff', '/%00', '/x?%', '/x?a=%ff', '/x?a=%00'])(
    '%s is refused',
    (url) => {
      expect(() => parse(url)).toThrow("Couldn't parse the specified URI.");
    },
  );

  test('a key of more than 1,024 bytes is refused', () => {
    expect(parse(`/tributary/${'%c3%a9'.repeat(512)}`).key).toHaveLength(512);
    expect(() => parse(`/tributary/${'%c3%a9'.repeat(512)}x`)).toThrow('Your key is too long');
  });
});

describe('in the canonical request', () => {
  test('the path is encoded once, as received', () => {
    expect(parse("/tributary/a b/..//%7e%2f+!'()*é".replace('é', '%c3%a9')).canonicalPath).toBe(
      '/tributary/a%20b/..//~/%2B%21%27%28%29%2A%C3%A9',
    );
  });

  test('the query is sorted by name, then by value, and includes empty values', () => {
    expect(canonicalQuery(parse('/?b=2&a-b&a=%2F&b=10&A=x+y&&=z').parameters)).toBe(
      '=z&A=x%20y&a=%2F&a-b=&b=10&b=2',
    );
  });

  test('every byte except letters, digits and -._~ is encoded', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
    expect(uriEncode(ascii).replace(/%[0-9A-F]{2}/g, '')).toBe(
      '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~',
    );
  });
});
