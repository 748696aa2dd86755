import { createHash } from 'node:crypto';

/** Distributions of devices. Each function turns a number into a device, as hex. */
export const shapes: Readonly<Record<string, (number: number) => string>> = {
  'evenly spread': (number) => hashed(number),
  'random UUIDs': (number) =>
    `${hashed(number).slice(0, 12)}4${hashed(number).slice(13, 16)}a${hashed(number).slice(17)}`,
  'with 60 bits in common': (number) => `0123456789abcde${hashed(number).slice(15)}`,
  'with 100 bits in common': (number) => `${'7'.repeat(25)}${hashed(number).slice(25)}`,
  'counted up from zero': (number) => number.toString(16).padStart(32, '0'),
  'counted up in their first bits': (number) =>
    number.toString(16).padStart(4, '0').padEnd(32, '0'),
  'in a few clusters': (number) =>
    `${'0f1e'.repeat((number % 5) + 1)}${hashed(number)}`.slice(0, 32),
};

function hashed(number: number): string {
  return createHash('md5').update(String(number)).digest('hex');
}
