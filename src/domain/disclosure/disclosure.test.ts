import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createDisclosures,
  matchedCount,
  mostRightGuesses,
  noiseFrom,
  varianceOf,
} from './disclosure.ts';

const drawing = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest();
const draw = drawing('key');
const rules = { mode: 'protected', scale: 10, contentsPerDay: 200, threshold: 50 } as const;
const draws = (count: number) =>
  Array.from({ length: count }, (_, n) => createHash('sha256').update(`draw ${n}`).digest());

it('draws noise of the discrete Laplace distribution', () => {
  const scale = 3;
  const drawn = draws(20_000).map((bytes) => noiseFrom(bytes, scale));
  const ratio = Math.exp(-1 / scale);
  const seen = Map.groupBy(drawn, (noise) => noise);
  for (const noise of [-6, -2, -1, 0, 1, 2, 6]) {
    const expected = (20_000 * (1 - ratio) * ratio ** Math.abs(noise)) / (1 + ratio);
    const off = (seen.get(noise)!.length - expected) / Math.sqrt(expected);
    expect(Math.abs(off), `noise ${noise}`).toBeLessThan(4);
  }
  const squares = drawn.reduce((sum, noise) => sum + noise ** 2, 0);
  expect(squares / drawn.length / varianceOf(scale)).toBeCloseTo(1, 1);
});

it('gives the same figure for the same contents, and an independent one for others', () => {
  const shown = createDisclosures(rules, draw).of(null);
  const [first, again] = [shown.foreign(1_000, 'a', 1), shown.foreign(1_000, 'a', 1)];
  expect(again).toEqual(first);
  const others = Array.from({ length: 50 }, (_, n) => shown.foreign(1_000, 'a', n + 2).devices);
  expect(new Set(others).size).toBeGreaterThan(20);
  const elsewhere = createDisclosures(rules, drawing('other')).of(null);
  const figures = Array.from(
    { length: 50 },
    (_, n) => elsewhere.foreign(1_000, 'a', n + 2).devices,
  );
  expect(figures).not.toEqual(others);
});

it('shows no count below zero', () => {
  const shown = createDisclosures(rules, draw).of(null);
  const counts = Array.from({ length: 200 }, (_, n) => shown.foreign(2, n).devices);
  expect(Math.min(...counts)).toBe(0);
});

it('has exact counts in the exact mode, of the service or of a partner', () => {
  const disclosures = createDisclosures(rules, draw);
  expect(disclosures.of('exact').foreign(7, 'a')).toEqual({ devices: 7, noiseVariance: 0 });
  expect(createDisclosures({ ...rules, mode: 'exact' }, draw).of(null).mode).toBe('exact');
  expect(createDisclosures({ ...rules, mode: 'exact' }, draw).of('protected').mode).toBe(
    'protected',
  );
});

it('bounds the guesses of the best reader', () => {
  for (const scale of [1, 3, 10]) {
    const ratio = Math.exp(-1 / scale);
    const chance = (noise: number) => ((1 - ratio) / (1 + ratio)) * ratio ** Math.abs(noise);
    // Who sees one count, and knows all but one device, guesses by which of the two is more likely.
    let right = 0;
    for (let seen = -500; seen <= 500; seen++) {
      right += Math.max(chance(seen), chance(seen - 1)) / 2;
    }
    expect(right).toBeLessThanOrEqual(mostRightGuesses(scale, 1) + 1e-9);
    expect(right).toBeGreaterThan(mostRightGuesses(scale, 1) - 0.05);
  }
  expect(mostRightGuesses(10, 1)).toBeCloseTo(0.525, 3);
  expect(mostRightGuesses(10, 100)).toBeCloseTo(0.75, 2);
  expect(mostRightGuesses(10, 1_000_000)).toBe(1);
});

describe('the matched devices of an audience', () => {
  const released = {
    fingerprint: 'same',
    universeVersion: 1,
    matchedDevices: 500,
    uniqueDevices: 10_000,
    ownMatched: 0,
    isOwn: false,
    erasures: 0,
  };
  const shown = createDisclosures(rules, draw).of(null);
  const matched = (changed: Partial<typeof released> = {}) =>
    matchedCount(shown, { ...released, ...changed }).devices;

  it('have other noise after each removal of erased devices', () => {
    const after = Array.from({ length: 20 }, (_, erasures) => matched({ erasures }));
    expect(new Set(after).size).toBeGreaterThan(10);
  });

  it('are never more than all devices, or fewer than those of an own attribute', () => {
    expect(matched({ uniqueDevices: 400 })).toBe(400);
    expect(matched({ ownMatched: 900 })).toBe(900);
  });

  it('are exact if no other partner has devices', () => {
    expect(matched({ isOwn: true })).toBe(500);
  });
});
