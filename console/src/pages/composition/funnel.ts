import { matchRate } from '../audiences/audience-words.ts';

/** The counts of an audience, as the API returns them. */
export interface ReachCounts {
  readonly uploaded_devices: number;
  readonly unique_devices: number;
  readonly matched_devices: number;
}

interface FunnelStep {
  readonly name: string;
  readonly meaning: string;
  readonly devices: number;
  /** Share of the first step, for the bar. */
  readonly share: number;
}

export interface Funnel {
  readonly steps: readonly FunnelStep[];
  /** Matched share of unique devices; null if there are none. */
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
      step('Uploaded', 'Valid rows of all files, including duplicates', uploaded),
      step('Unique', 'Distinct devices', unique),
      step('Matched', 'Unique devices with an attribute in the marketplace', matched),
    ],
    matchRate: matchRate(counts),
  };
}
