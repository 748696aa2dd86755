import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRunsToMerge } from './choose-runs-to-merge.ts';

function runOf(devices: number, runId = 0) {
  return { runId, segmentId: 1, file: '', firstRowGroup: 0, rowGroups: 1, bytes: 0, devices };
}

function sizesChosen(...sizes: number[]): number[] {
  return chooseRunsToMerge(sizes.map((devices) => runOf(devices))).map(({ devices }) => devices);
}

describe('chooseRunsToMerge', () => {
  it('merges small runs and leaves a large one', () => {
    expect(sizesChosen(1_000_000, 3, 1, 2)).toEqual([1, 2, 3]);
    expect(sizesChosen(1_000_000, 1)).toEqual([]);
    expect(sizesChosen(5, 5)).toEqual([5, 5]);
    expect(sizesChosen()).toEqual([]);
  });

  it('includes a large run when the others are at least half its size', () => {
    expect(sizesChosen(100, 30, 20)).toEqual([20, 30, 100]);
  });

  it('leaves few runs whatever their sizes are', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 1e9 }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (sizes) => {
        const chosen = sizesChosen(...sizes);
        expect(sizes.length - chosen.length).toBeLessThanOrEqual(Math.log(1e9) / Math.log(3) + 2);
      }),
    );
  });

  it('rewrites each device of a growing segment only a few times', () => {
    let runs: number[] = [];
    let written = 0;
    let most = 0;
    const appends = 2_000;
    for (let i = 0; i < appends; i++) {
      runs.push(1_000);
      if (runs.length <= 10) continue;
      const chosen = sizesChosen(...runs);
      const merged = chosen.reduce((sum, size) => sum + size, 0);
      written += merged;
      runs = [...runs.sort((a, b) => a - b).slice(chosen.length), ...(merged > 0 ? [merged] : [])];
      most = Math.max(most, runs.length);
    }
    expect(most).toBeLessThanOrEqual(10);
    // Measured: 6.4 rewrites per device in 2,000 appends. The bound is log₁.₅ 2,000 = 19.
    expect(written / (appends * 1_000)).toBeLessThan(8);
  });
});
