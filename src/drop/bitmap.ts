/** A set of numbers from 0 on, one bit each. */
export interface Bitmap {
  readonly bytes: Uint8Array;
  has(number: number): boolean;
  add(number: number): void;
}

export function createBitmap(count: number): Bitmap {
  return bitmapOf(new Uint8Array(Math.ceil(count / 8)));
}

export function bitmapOf(bytes: Uint8Array): Bitmap {
  return {
    bytes,
    has: (number) => ((bytes[number >>> 3] ?? 0) & (1 << (number & 7))) !== 0,
    add(number) {
      bytes[number >>> 3]! |= 1 << (number & 7);
    },
  };
}
