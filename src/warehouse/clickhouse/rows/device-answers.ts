/** Devices in one answer, which takes 33 bytes for each. */
export const devicesPerAnswer = 500_000;

/**
 * Conditions that divide devices by their first bits, so that each answer is short. They ascend, and so
 * do the answers if each is sorted.
 */
export function answersFor(devices: number): string[] {
  const answers = Math.ceil(devices / devicesPerAnswer);
  if (answers === 1) return ['1'];
  const width = Math.ceil(2 ** 32 / answers);
  const firstBits = 'reinterpretAsUInt32(reverse(substring(device, 1, 4)))';
  return Array.from({ length: answers }, (_, n) => `intDiv(${firstBits}, ${width}) = ${n}`);
}
