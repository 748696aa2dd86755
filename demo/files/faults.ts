import { draw, saltOf } from '../people/affinity.ts';
import { writeBytes } from './csv-chunks.ts';

/** Invalid identifiers as in real files: an opted-out phone, a hash, no identifier at all. */
const faultyIds = [
  '00000000-0000-0000-0000-000000000000',
  '9b74c9897bac770ffc029102a200c5de',
  'not available',
];

/** Adds an invalid line to about one in `oneIn` devices. */
export function createFaults(purpose: string, oneIn: number, linesAfterId: readonly string[]) {
  const salt = saltOf(`faults ${purpose}`);
  const below = 2 ** 32 / oneIn;
  const lines = [
    ...faultyIds.map((id) => `${id}${linesAfterId[0]}\n`),
    ...linesAfterId.slice(1).map((rest) => `4c1e5b0a-77d2-4c39-8f0e-2f5d61a9b3c8${rest}\n`),
  ].map((line) => Buffer.from(line));

  return (out: Buffer, at: number, device: number): number => {
    const drawn = draw(device, salt);
    return drawn < below ? writeBytes(out, at, lines[drawn % lines.length]!) : at;
  };
}
