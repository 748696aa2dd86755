import { type Count, exactly } from '../composition.ts';

/**
 * What a report may reveal. Its readers know one partner's data. Counts that depend on the data of other
 * partners get noise, so that one device more or less in an audience cannot be seen in them.
 *
 * The noise of a count is drawn from an HMAC over what was counted: the same contents give the same figure
 * whenever they are asked for, and other contents an independent one.
 */

export const disclosureModes = ['exact', 'protected'] as const;
export type DisclosureMode = (typeof disclosureModes)[number];

export interface DisclosureRules {
  /** For partners without a mode of their own. */
  readonly mode: DisclosureMode;
  /** The scale of the noise, in devices. */
  readonly scale: number;
  /** How many different contents of its audiences a partner may have reported on in a day. */
  readonly contentsPerDay: number;
  /** Figures based on fewer devices are withheld. */
  readonly threshold: number;
}

/** Returns at least 16 bytes that look random, and always the same for the same text. */
export type Draw = (text: string) => Uint8Array;

/** How the counts of one partner's reports are shown. */
export interface Disclosure {
  readonly mode: DisclosureMode;
  /** Null if the mode is `exact`. */
  readonly scale: number | null;
  /** A count that depends on the data of other partners. `what` names the contents that were counted. */
  foreign(devices: number, ...what: readonly (string | number)[]): Count;
}

/** How the counts of all reports are shown. */
export interface Disclosures {
  readonly rules: DisclosureRules;
  /** For a partner with that mode; null if it has none of its own. */
  of(mode: DisclosureMode | null): Disclosure;
}

export function createDisclosures(rules: DisclosureRules, draw: Draw): Disclosures {
  const modes = { exact, protected: protectedBy(rules.scale, draw) };
  return { rules, of: (mode) => modes[mode ?? rules.mode] };
}

const exact: Disclosure = { mode: 'exact', scale: null, foreign: exactly };

function protectedBy(scale: number, draw: Draw): Disclosure {
  const noiseVariance = varianceOf(scale);
  return {
    mode: 'protected',
    scale,
    foreign(devices, ...what) {
      const noise = noiseFrom(draw(JSON.stringify([scale, ...what])), scale);
      return { devices: Math.max(0, devices + noise), noiseVariance };
    },
  };
}

/** The sizes of an audience and the universe that were released for a report. */
export interface Released {
  /** Identifies the audience's devices. */
  readonly fingerprint: string;
  readonly universeVersion: number;
  readonly matchedDevices: number;
  /** Whether no other partner had any devices. */
  readonly isOwn: boolean;
}

/** The counts of an attribute in a report, at its version. */
interface CountedAttribute {
  readonly segmentId: number;
  readonly version: number;
  readonly audienceDevices: number;
  readonly baselineDevices: number;
  /** Whether it belongs to the partner whose report it is. */
  readonly isOwn: boolean;
}

/** The matched devices of an audience. */
export function matchedCount(disclosure: Disclosure, released: Released): Count {
  const { fingerprint, universeVersion, matchedDevices, isOwn } = released;
  if (isOwn) return exactly(matchedDevices);
  return disclosure.foreign(matchedDevices, 'matched', fingerprint, universeVersion);
}

export function universeCount(
  disclosure: Disclosure,
  { universeVersion, universeDevices, isOwn }: Released & { readonly universeDevices: number },
): Count {
  if (isOwn) return exactly(universeDevices);
  return disclosure.foreign(universeDevices, 'universe', universeVersion);
}

export function attributeCounts(
  disclosure: Disclosure,
  fingerprint: string,
  { segmentId, version, audienceDevices, baselineDevices, isOwn }: CountedAttribute,
): { readonly audience: Count; readonly baseline: Count } {
  if (isOwn) return { audience: exactly(audienceDevices), baseline: exactly(baselineDevices) };
  return {
    audience: disclosure.foreign(audienceDevices, 'attribute', fingerprint, segmentId, version),
    baseline: disclosure.foreign(baselineDevices, 'attribute', segmentId, version),
  };
}

/** An audience with a few matched devices is shown as one with none, and so is a small universe. */
export function shownSize({ devices, noiseVariance }: Count, threshold: number): number {
  return noiseVariance > 0 && devices < threshold ? 0 : devices;
}

/**
 * Noise of the discrete Laplace distribution, P(n) ∝ exp(-|n| / scale), from 16 random bytes: the
 * difference of two geometric variables.
 */
export function noiseFrom(bytes: Uint8Array, scale: number): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return geometric(words.getBigUint64(0), scale) - geometric(words.getBigUint64(8), scale);
}

function geometric(bits: bigint, scale: number): number {
  // In (0, 1], with the 53 bits that a number holds.
  const uniform = (Number(bits >> 11n) + 1) / 2 ** 53;
  return Math.floor(-scale * Math.log(uniform));
}

export function varianceOf(scale: number): number {
  const ratio = Math.exp(-1 / scale);
  return (2 * ratio) / (1 - ratio) ** 2;
}

/**
 * The largest share of right guesses on whether a device has an attribute, for any strategy, if the reader
 * sees one count of each of `contents` contents with the device, and any number without it. A coin is right in half
 * of the cases. The bound is the smaller one of two: of the ratio of probabilities, which is at most
 * exp(contents / scale), and of Pinsker's inequality.
 */
export function mostRightGuesses(scale: number, contents: number): number {
  const ratio = Math.exp(-1 / scale);
  const byRatio = Math.tanh(contents / scale / 2);
  // The Kullback-Leibler divergence between the noise and the noise moved by one device.
  const divergence = (1 - ratio) / (1 + ratio) / scale;
  const byDivergence = Math.sqrt((contents * divergence) / 2);
  return (1 + Math.min(byRatio, byDivergence, 1)) / 2;
}
