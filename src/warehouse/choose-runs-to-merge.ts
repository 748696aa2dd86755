import type { Run } from '../records/warehouse/manifest.ts';

/**
 * Which runs of a crowded segment to merge: the smaller ones, up to the largest that is at most
 * twice as large as all smaller ones together. So every device that is written again ends up in a
 * run half as large again at least, which happens to it a logarithmic number of times, and no large
 * run is written for the sake of a tiny one. What cannot be merged has sizes that triple from run to
 * run, so that there are never many. None or two and more.
 */
export function chooseRuns(runs: readonly Run[]): Run[] {
  const bySize = runs.toSorted((a, b) => a.devices - b.devices);
  let smaller = 0;
  let chosen = 0;
  for (const [i, { devices }] of bySize.entries()) {
    if (i > 0 && devices <= 2 * smaller) chosen = i + 1;
    smaller += devices;
  }
  return bySize.slice(0, chosen);
}
