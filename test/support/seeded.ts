import { createHash } from 'node:crypto';

/** Pseudo-random numbers, the same for the same seed. */
export function randomOf(seed: string): (below: number) => number {
  let drawn = 0;
  return (below) => createHash('md5').update(`${seed}:${drawn++}`).digest().readUInt32LE() % below;
}

/** A text that reveals missing or foreign parts. */
export function textOfLines(lines: number): string {
  return `one of ${String(lines).padStart(6, '0')} lines\n`.repeat(lines);
}
