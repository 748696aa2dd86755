import { mix } from '../../bench/generate/devices.ts';
import type { Trait } from './traits.ts';

/** The probability of something for anybody, and its multipliers for people with certain traits. */
export interface Affinity {
  readonly share: number;
  readonly lifts?: Readonly<Partial<Record<Trait, number>>>;
}

/**
 * For every set of traits and every affinity, the threshold for a draw. A set of traits is a bit
 * mask, so it is also the index of its row.
 */
export function chancesOf(
  affinities: readonly Affinity[],
  traitNames: readonly Trait[],
): Uint32Array {
  const chances = new Uint32Array(affinities.length << traitNames.length);
  let at = 0;
  for (let held = 0; held < 1 << traitNames.length; held++) {
    for (const { share, lifts = {} } of affinities) {
      let chance = share;
      traitNames.forEach((trait, bit) => {
        if (held & (1 << bit)) chance *= lifts[trait] ?? 1;
      });
      chances[at++] = Math.min(Math.round(chance * 2 ** 32), 2 ** 32 - 1);
    }
  }
  return chances;
}

/** Makes the draws for one purpose independent of those for another. */
export function saltOf(purpose: string): number {
  let salt = 0;
  for (const byte of Buffer.from(purpose)) salt = mix((salt << 5) ^ (salt >>> 27) ^ byte ^ 0x9e37);
  return salt;
}

/** A number below 2^32, always the same for the same device and purpose. */
export function draw(device: number, salt: number): number {
  return mix(mix(device) ^ salt);
}
