/** Somewhat more than needed, so that slowly growing inputs do not reallocate each time. */
const spare = 1.125;

/** The array itself, or a larger one if it is too short. The contents are not kept. */
export function growArray(
  array: Uint32Array<ArrayBuffer>,
  length: number,
): Uint32Array<ArrayBuffer> {
  return array.length >= length ? array : new Uint32Array(Math.ceil(length * spare));
}

/** More, because the contents are copied each time. */
const spareToExtend = 1.5;

/** The same, but keeps the first `used` elements. */
export function extendArray<
  T extends Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
>(array: T, used: number, length: number): T {
  if (array.length >= length) return array;
  const larger = new (array.constructor as new (length: number) => T)(
    Math.ceil(length * spareToExtend),
  );
  larger.set(array.subarray(0, used));
  return larger;
}
