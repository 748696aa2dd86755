import type { DeviceRange } from '../devices/device-range.ts';
import type { OpenedRun } from '../file/run-opener.ts';
import { type PackedRuns, packRuns } from './packed-runs.ts';

/** Cuts the range of all devices into parts in which the runs have about that many. */
export type Cut = (
  runs: readonly OpenedRun[],
  devicesPerRange: number,
  signal: AbortSignal,
) => Promise<DeviceRange[]>;

export function packed(runs: readonly OpenedRun[]): PackedRuns {
  return packRuns(runs.map(({ open }) => open));
}

export function devicesOf(runs: readonly OpenedRun[]): number {
  return runs.reduce((sum, { run }) => sum + run.devices, 0);
}
