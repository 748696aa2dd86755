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
      // With the count itself, so that no other count ever gets the same noise.
      const noise = noiseFrom(draw(JSON.stringify([scale, devices, ...what])), scale);
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
  /** All devices of the audience. */
  readonly uniqueDevices: number;
  /** The most devices that the audience has of one of the partner's own attributes. */
  readonly ownMatched: number;
  /** Whether no other partner had any devices. */
  readonly isOwn: boolean;
  /**
   * Grows with every removal of erased devices. It redraws all noise, so that nobody sees which counts the
   * removal changed.
   */
  readonly erasures: number;
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
  const { fingerprint, universeVersion, matchedDevices, isOwn, erasures } = released;
  if (isOwn || disclosure.mode === 'exact') return exactly(matchedDevices);
  const what = ['matched', fingerprint, universeVersion, erasures];
  const { devices, noiseVariance } = disclosure.foreign(matchedDevices, ...what);
  // The reader knows both limits.
  const { uniqueDevices, ownMatched } = released;
  return { devices: Math.min(uniqueDevices, Math.max(ownMatched, devices)), noiseVariance };
}

export function universeCount(
  disclosure: Disclosure,
  released: Released & { readonly universeDevices: number },
): Count {
  const { universeVersion, universeDevices, isOwn, erasures } = released;
  if (isOwn) return exactly(universeDevices);
  return disclosure.foreign(universeDevices, 'universe', universeVersion, erasures);
}

export function attributeCounts(
  disclosure: Disclosure,
  released: Pick<Released, 'fingerprint' | 'erasures'>,
  attribute: CountedAttribute,
): { readonly audience: Count; readonly baseline: Count } {
  const { segmentId, version, baselineDevices, isOwn } = attribute;
  return {
    audience: inAudienceCount(disclosure, released, attribute),
    baseline: isOwn
      ? exactly(baselineDevices)
      : disclosure.foreign(baselineDevices, 'attribute', segmentId, version, released.erasures),
  };
}

/** The audience's devices that have an attribute. */
export function inAudienceCount(
  disclosure: Disclosure,
  { fingerprint, erasures }: Pick<Released, 'fingerprint' | 'erasures'>,
  { segmentId, version, audienceDevices, isOwn }: Omit<CountedAttribute, 'baselineDevices'>,
): Count {
  if (isOwn) return exactly(audienceDevices);
  const what = ['attribute', fingerprint, segmentId, version, erasures];
  return disclosure.foreign(audienceDevices, ...what);
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
 * sees one count of each of `contents` contents with the device, and any number without it. A coin is right
 * in half of the cases. The bound is the smaller one of two: of the ratio of probabilities, which is at most
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
