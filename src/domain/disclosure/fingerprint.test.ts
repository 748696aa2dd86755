import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createFingerprint } from './fingerprint.ts';

const key = createHash('sha256').update('key').digest();

function devices(first: number, count: number): Uint32Array {
  const bytes = Array.from({ length: count }, (_, n) =>
    createHash('md5')
      .update(String(first + n))
      .digest(),
  );
  return new Uint32Array(new Uint8Array(Buffer.concat(bytes)).buffer);
}

function of(...parts: Uint32Array[]): string {
  const fingerprint = createFingerprint(key);
  for (const part of parts) fingerprint.add(part);
  return fingerprint.value();
}

it('depends on the devices alone, not on their order or parts', () => {
  const whole = of(devices(0, 10));
  expect(of(devices(7, 3), devices(0, 7))).toBe(whole);
  const later = createFingerprint(key, of(devices(0, 4)));
  later.add(devices(4, 6));
  expect(later.value()).toBe(whole);
  expect(createFingerprint(createHash('sha256').digest()).value()).toBe(of());
});

it('differs if one device or one bit of a device does', () => {
  const whole = of(devices(0, 10));
  const others = [of(devices(0, 9)), of(devices(0, 11)), of(devices(1, 10)), of()];
  for (let bit = 0; bit < 128; bit++) {
    const changed = devices(0, 10);
    changed[bit >>> 5]! ^= 1 << (bit & 31);
    others.push(of(changed));
  }
  expect(new Set([whole, ...others]).size).toBe(133);
});

it('cannot be reached by exchanging words between devices', () => {
  const [a, b] = [devices(0, 1), devices(1, 1)];
  const exchanged = [
    Uint32Array.of(...a.slice(0, 2), ...b.slice(2)),
    Uint32Array.of(...b.slice(0, 2), ...a.slice(2)),
  ];
  expect(of(...exchanged)).not.toBe(of(a, b));
});
