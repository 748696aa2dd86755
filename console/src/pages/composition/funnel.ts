import { matchRate } from '../audiences/audience-words.ts';

/** The counts of an audience, as every answer about it has them. */
export interface ReachCounts {
  readonly uploaded_devices: number;
  readonly unique_devices: number;
  readonly matched_devices: number;
}

interface FunnelStep {
  readonly name: string;
  readonly meaning: string;
  readonly devices: number;
  /** Of the widest step, for the bar. */
  readonly share: number;
}

export interface Funnel {
  readonly steps: readonly FunnelStep[];
  /** Matched of unique; null if there is nothing to match. */
  readonly matchRate: number | null;
}

export function funnelOf(counts: ReachCounts): Funnel {
  const { uploaded_devices: uploaded, unique_devices: unique, matched_devices: matched } = counts;
  const step = (name: string, meaning: string, devices: number): FunnelStep => ({
    name,
    meaning,
    devices,
    share: uploaded === 0 ? 0 : devices / uploaded,
  });
  return {
    steps: [
      step('Uploaded', 'Valid rows of all files, duplicates included', uploaded),
      step('Unique', 'Distinct devices', unique),
      step('Matched', 'Unique devices that carry an attribute of the marketplace', matched),
    ],
    matchRate: matchRate(counts),
  };
}
