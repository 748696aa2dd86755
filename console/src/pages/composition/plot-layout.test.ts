import { describe, expect, it } from 'vitest';
import { axisHeight, plotLayout, rowsHeight } from './plot-layout.ts';

describe('the layout of a plot', () => {
  it('gives labels what the widest of them needs, up to a third', () => {
    expect(plotLayout(1_000, 120.4, 100)).toMatchObject({ labelWidth: 121, marginLeft: 135 });
    expect(plotLayout(1_000, 900, 100)).toMatchObject({ labelWidth: 340, isStacked: false });
  });

  it('puts labels above what is drawn where there is little room', () => {
    expect(plotLayout(360, 900, 100)).toMatchObject({ isStacked: true, labelWidth: 246 });
  });

  it('has its height before anything is drawn', () => {
    expect(rowsHeight(1_000, 20)).toBe(20 * plotLayout(1_000, 1, 1).rowHeight);
    expect(rowsHeight(360, 3)).toBe(3 * plotLayout(360, 1, 1).rowHeight);
    expect(axisHeight(360)).toBeGreaterThan(axisHeight(1_000));
  });
});
