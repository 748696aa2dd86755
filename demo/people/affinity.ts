import { mix } from '../../bench/generate/devices.ts';
import type { Trait } from './traits.ts';

/** How likely something is for anybody, and how many times as likely for people with a trait. */
export interface Affinity {
  readonly share: number;
  readonly lifts?: Readonly<Partial<Record<Trait, number>>>;
}

/**
 * For every set of traits, and in it for every affinity, below which number a draw must fall. Sets
 * of traits are bits, so a device's row is found without looking at its traits one by one.
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

/** What makes the draws for one purpose independent of those for another. */
export function saltOf(purpose: string): number {
  let salt = 0;
  for (const byte of Buffer.from(purpose)) salt = mix((salt << 5) ^ (salt >>> 27) ^ byte ^ 0x9e37);
  return salt;
}

/** A number below 2^32, always the same for the same device and purpose. */
export function draw(device: number, salt: number): number {
  return mix(mix(device) ^ salt);
}
