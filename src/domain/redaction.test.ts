import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactSecrets } from './redaction.ts';
import { tokenKinds, tokenPrefix } from './token-kinds.ts';

const apiKey = `trib_key_0123456789abcdef_${'Ab-_'.repeat(10)}xyz`;
// Every character that a token may have and that JSON or a URL has to escape.
const chosen = 'to"ken\\with/%&=+?#<>\'`{}|~^$.*[]()!@:;,';

describe('redacted text', () => {
  test.each([
    ['Bearer abc.def~ghi+/==', '[redacted]'],
    ['authorization: bearer   abc!def, next', 'authorization: [redacted] next'],
    ['postgres://user:pa@ss:word@host:5432/db', 'postgres://user:[redacted]@host:5432/db'],
    ['http://host:8080/path', 'http://host:8080/path'],
    ['GET /x?X-Amz-Signature=abc&y=1', 'GET /x?X-Amz-Signature=[redacted]&y=1'],
    [`<${apiKey}>`, '<[redacted]>'],
    ['trib_admin_AAAA-bbbb_1', '[redacted]'],
    ['trib_client_AAAA-bbbb_1', '[redacted]'],
    ['nothing to see', 'nothing to see'],
  ])('%s', (text, cleaned) => {
    expect(redactSecrets(text, [])).toBe(cleaned);
  });

  test('is unchanged by an empty secret', () => {
    expect(redactSecrets('text', [''])).toBe('text');
  });

  test('has no secrets, whatever surrounds them', () => {
    const noise = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(noise, noise, fc.constantFrom(apiKey, chosen), (before, after, secret) => {
        expect(redactSecrets(before + secret + after, [chosen])).not.toContain(secret);
      }),
    );
  });

  test.each(tokenKinds)('has no token of the kind %s', (kind) => {
    expect(redactSecrets(`<${tokenPrefix(kind)}Ab-_0>`, [])).toBe('<[redacted]>');
  });

  test.each([
    ['/partners/trib%5Fkey%5Fabc', '/partners/[redacted]'],
    ['/x?a=%74RIB%5fuser%255Fab%2Dc&b=1', '/x?a=[redacted]&b=1'],
    ['/trib_key_ab%63d/x', '/[redacted]/x'],
    ['/x%3Fpassword%3Da%2526b%26c%3D1', '/x?password=[redacted]&c=1'],
    ['X-Amz-Signature%253Dabc', 'X-Amz-Signature=[redacted]'],
    ['Bearer%20abc', '[redacted]'],
    ['100%25 %zz %7euser %c3%a9', '100%25 %zz %7euser %c3%a9'],
  ])('has no percent-encoded secrets: %s', (text, cleaned) => {
    expect(redactSecrets(text, [])).toBe(cleaned);
  });

  test('has no secrets, however they are percent-encoded', () => {
    const hexadecimal = (code: number, upper: boolean) => {
      const text = code.toString(16).padStart(2, '0');
      return upper ? text.toUpperCase() : text;
    };
    const secrets = fc.constantFrom(apiKey, chosen);
    const rounds = fc.array(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 3 });
    fc.assert(
      fc.property(secrets, rounds, (secret, seeds) => {
        let text = secret;
        for (const seed of seeds) {
          let state = seed;
          // A percent sign of the round before is always encoded, other characters by chance.
          text = [...text]
            .map((character) => {
              state = (state * 48_271) % (2 ** 31 - 1);
              if (character !== '%' && state % 2 === 0) return character;
              return `%${hexadecimal(character.charCodeAt(0), state % 3 === 0)}`;
            })
            .join('');
        }
        expect(redactSecrets(`/a/${text}/b`, [chosen])).toBe('/a/[redacted]/b');
      }),
    );
    const deep = apiKey.replaceAll('_', `%${'25'.repeat(50)}5F`);
    expect(redactSecrets(deep, [])).toBe('[redacted]');
  });

  test.each([
    ['percent signs', '%25'.repeat(100_000)],
    ['deep encoding', `%${'25'.repeat(200_000)}`],
    ['backslashes', '\\'.repeat(1_000_000)],
    ['quotes', '"'.repeat(1_000_000)],
    ['escaped quotes', '\\"'.repeat(500_000)],
    ['blanks', `Bearer${' '.repeat(1_000_000)}`],
    ['colons', ':'.repeat(1_000_000)],
    ['addresses', '://a:'.repeat(200_000)],
    ['names', '"password":"'.repeat(80_000)],
    ['signs', 'X-Amz-Signature='.repeat(60_000)],
  ])('is produced in linear time: %s', (_, text) => {
    const begun = performance.now();
    redactSecrets(text, [chosen]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
