import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceBytes, formatDeviceId, parseDeviceId } from './device-id.ts';

const id = '00112233-4455-6677-8899-aabbccddeeff';
const bytes = Uint8Array.from({ length: deviceBytes }, (_, i) => i * 0x11);

function parse(text: string): Uint8Array | string {
  const into = new Uint8Array(deviceBytes);
  return parseDeviceId(text, into) ?? into;
}

describe('parseDeviceId', () => {
  test('reads a UUID of any version, in any letter case', () => {
    expect(parse(id)).toEqual(bytes);
    expect(parse(id.toUpperCase())).toEqual(bytes);
    expect(parse('00112233-4455-6677-8899-AabBccDdeEff')).toEqual(bytes);
  });

  test('overwrites the buffer', () => {
    const into = new Uint8Array(deviceBytes).fill(0xff);
    expect(parseDeviceId('00000000-0000-0000-0000-000000000001', into)).toBeNull();
    expect(into).toEqual(Uint8Array.from({ length: deviceBytes }, (_, i) => (i === 15 ? 1 : 0)));
  });

  test.each([
    ['empty', ''],
    ['one digit short', id.slice(1)],
    ['one digit more', `0${id}`],
    ['a letter past f', id.replace('ff', 'fg')],
    ['a dash elsewhere', '001122334-455-6677-8899-aabbccddeeff'],
    ['braces', `{${id}}`],
    ['a line break at the end', `${id}\n`],
    ['digits of another script', id.replace('00', '٠٠')],
    ['33 hex digits', 'a'.repeat(33)],
    ['hash-long, not hex', 'g'.repeat(64)],
  ])('rejects as malformed: %s', (_, text) => {
    expect(parse(text)).toBe('malformed_id');
  });

  test.each([32, 40, 64])('recognises %i hex digits as a hash', (length) => {
    expect(parse('a1B2'.repeat(length / 4))).toBe('hashed_id');
  });

  test('recognises the identifier of an opted-out phone', () => {
    expect(parse('00000000-0000-0000-0000-000000000000')).toBe('zeroed_id');
  });
});

describe('formatDeviceId', () => {
  test('writes lower case, from any offset of a buffer', () => {
    expect(formatDeviceId(bytes)).toBe(id);
    const larger = new Uint8Array(deviceBytes * 2);
    larger.set(bytes, 5);
    expect(formatDeviceId(larger.subarray(5, 5 + deviceBytes))).toBe(id);
  });

  test('is the inverse of parseDeviceId', () => {
    const device = fc.uint8Array({ minLength: deviceBytes, maxLength: deviceBytes });
    fc.assert(
      fc.property(device, (given) => {
        const zeroed = given.every((byte) => byte === 0);
        expect(parse(formatDeviceId(given))).toEqual(zeroed ? 'zeroed_id' : given);
      }),
    );
  });
});
