import type { Run } from '../records/warehouse/manifest.ts';

/**
 * Chooses the smaller runs, up to the largest one that is at most twice the size of all smaller ones
 * together: none, or at least two. Each rewrite moves a device into a run at least 1.5 times as large,
 * so a device is rewritten a logarithmic number of times. Runs left over at least triple in size.
 */
export function chooseRunsToMerge(runs: readonly Run[]): Run[] {
  const bySize = runs.toSorted((a, b) => a.devices - b.devices);
  let smaller = 0;
  let chosen = 0;
  for (const [i, { devices }] of bySize.entries()) {
    if (i > 0 && devices <= 2 * smaller) chosen = i + 1;
    smaller += devices;
  }
  return bySize.slice(0, chosen);
}
