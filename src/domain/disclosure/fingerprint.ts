const wordsPerDevice = 4;

/**
 * Identifies the contents of a set of devices: the sum of a keyed mixture of each device, in four words. It
 * does not depend on the order in which devices came or how they are divided into runs, and devices that
 * come later are added to it. The key keeps others from computing sums.
 */
export type Fingerprint = string;

const emptyFingerprint: Fingerprint = '0'.repeat(32);

/** Adds devices, as packed words, to a fingerprint. The key has 16 bytes. */
export function createFingerprint(key: Buffer, before: Fingerprint = emptyFingerprint) {
  const keyWords = Int32Array.of(...[0, 4, 8, 12].map((at) => key.readInt32LE(at)));
  const sums = Int32Array.of(...[0, 8, 16, 24].map((at) => parseInt(before.slice(at, at + 8), 16)));
  return {
    add: (devices: Uint32Array) => addDevices(sums, devices, keyWords),
    value: (): Fingerprint =>
      [...new Uint32Array(sums.buffer)].map((word) => word.toString(16).padStart(8, '0')).join(''),
  };
}

function addDevices(sums: Int32Array, devices: Uint32Array, key: Int32Array): void {
  const k0 = key[0]!;
  const k1 = key[1]!;
  const k2 = key[2]!;
  const k3 = key[3]!;
  let s0 = sums[0]!;
  let s1 = sums[1]!;
  let s2 = sums[2]!;
  let s3 = sums[3]!;
  for (let i = 0; i < devices.length; i += wordsPerDevice) {
    // Two rounds, so that every bit of the result depends on all bits of the device and of the key.
    let a = Math.imul(spread(devices[i]! ^ k0), 0x2c1b3c6d);
    let b = Math.imul(spread(devices[i + 1]! ^ k1), 0x297a2d39);
    let c = Math.imul(spread(devices[i + 2]! ^ k2), 0x85ebca6b);
    let d = Math.imul(spread(devices[i + 3]! ^ k3), 0xc2b2ae35);
    b = (b + a) | 0;
    c = (c + b) | 0;
    d = (d + c) | 0;
    a = (a + d) | 0;
    a = Math.imul(spread(a ^ k1), 0x85ebca6b);
    b = Math.imul(spread(b ^ k2), 0x2c1b3c6d);
    c = Math.imul(spread(c ^ k3), 0xc2b2ae35);
    d = Math.imul(spread(d ^ k0), 0x297a2d39);
    b = (b + a) | 0;
    c = (c + b) | 0;
    d = (d + c) | 0;
    a = (a + d) | 0;
    s0 = (s0 + spread(a)) | 0;
    s1 = (s1 + spread(b)) | 0;
    s2 = (s2 + spread(c)) | 0;
    s3 = (s3 + spread(d)) | 0;
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

function spread(word: number): number {
  return word ^ (word >>> 15);
}
