import { createHash } from 'node:crypto';

/** Ways in which devices may be spread; each makes of a number its device, as hex. */
export const shapes: Readonly<Record<string, (number: number) => string>> = {
  'evenly spread': (number) => hashed(number),
  'random UUIDs': (number) =>
    `${hashed(number).slice(0, 12)}4${hashed(number).slice(13, 16)}a${hashed(number).slice(17)}`,
  'with 60 bits in common': (number) => `0123456789abcde${hashed(number).slice(15)}`,
  'with 100 bits in common': (number) => `${'7'.repeat(25)}${hashed(number).slice(25)}`,
  'one after the other, from zeros on': (number) => number.toString(16).padStart(32, '0'),
  'counted by their first bits': (number) => number.toString(16).padStart(4, '0').padEnd(32, '0'),
  'in a few heaps': (number) => `${'0f1e'.repeat((number % 5) + 1)}${hashed(number)}`.slice(0, 32),
};

function hashed(number: number): string {
  return createHash('md5').update(String(number)).digest('hex');
}
