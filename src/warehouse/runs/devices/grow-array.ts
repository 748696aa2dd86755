/** The array, or a larger one if it is too small; what it held is of no more use. */
export function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  // Somewhat more, so that parts that grow little by little do not each take new memory.
  return array.length >= length ? array : new Uint32Array(Math.ceil(length * 1.125));
}
