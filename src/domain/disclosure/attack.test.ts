import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  attributeCounts,
  createDisclosures,
  type DisclosureMode,
  mostRightGuesses,
} from './disclosure.ts';

/**
 * A partner wants to know whether a device has an attribute of another partner. It may load any audiences, and
 * knows everything about the other devices in them.
 */

const trials = 200;
const rules = { mode: 'protected', scale: 10, contentsPerDay: 60, threshold: 50 } as const;
const secret = createHash('sha256').update('secret').digest();
const draw = (text: string) => createHmac('sha256', secret).update(text).digest();

const { of } = createDisclosures(rules, draw);

/** What the reader sees of an audience in which 200 known devices have the attribute. */
function report(mode: DisclosureMode, target: string | null, others: string, has: boolean): number {
  const audienceDevices = 200 + (target !== null && has ? 1 : 0);
  const attribute = { segmentId: 7, version: 3, audienceDevices, baselineDevices: 0, isOwn: false };
  return attributeCounts(of(mode), `${target} with ${others}`, attribute).audience.devices;
}

/** The share of right guesses, if every second device has the attribute. */
function rightGuesses(guess: (target: string, has: boolean) => boolean): number {
  let right = 0;
  for (let trial = 0; trial < trials; trial++) {
    const has = trial % 2 === 0;
    if (guess(`target ${trial}`, has) === has) right++;
  }
  return right / trials;
}

/** Three standard deviations of the share of right guesses. */
const chance = 3 * Math.sqrt(0.25 / trials);

/** The mean difference that the device makes, over audiences with and without it. */
function difference(mode: DisclosureMode, target: string, has: boolean, pairs: number): number {
  let sum = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const others = `${target} ${pair}`;
    sum += report(mode, target, others, has) - report(mode, null, others, has);
  }
  return sum / pairs;
}

describe('the guess whether a device has an attribute', () => {
  it('is always right if counts are exact', () => {
    const differencing = (target: string, has: boolean) =>
      difference('exact', target, has, 1) > 0.5;
    expect(rightGuesses(differencing)).toBe(1);
  });

  it('is hardly better than a coin for who compares two audiences', () => {
    const differencing = (target: string, has: boolean) =>
      difference('protected', target, has, 1) > 0.5;
    expect(mostRightGuesses(rules.scale, 1)).toBeLessThan(0.53);
    expect(rightGuesses(differencing)).toBeLessThan(mostRightGuesses(rules.scale, 1) + chance);
  });

  it('gains nothing from reports of the same devices: read again, created again or renamed', () => {
    const read = () => report('protected', 'target', 'same', true);
    expect(new Set(Array.from({ length: trials }, read)).size).toBe(1);
  });

  it('stays below the stated bound for who divides a whole day’s budget among different audiences', () => {
    const pairs = rules.contentsPerDay / 2;
    const averaging = (target: string, has: boolean) =>
      difference('protected', target, has, pairs) > 0.5;
    const bound = mostRightGuesses(rules.scale, pairs);
    expect(bound).toBeCloseTo(0.637, 2);
    const share = rightGuesses(averaging);
    expect(share).toBeLessThan(bound + chance);
    // It does leak: this attack is why there is a budget.
    expect(share).toBeGreaterThan(0.5);
  });
});
