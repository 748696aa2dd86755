import { describe, expect, it } from 'vitest';
import { axisHeight, plotLayout, rowsHeight } from './plot-layout.ts';

describe('the layout of a plot', () => {
  it('gives labels the width of the widest one, up to a third of the plot', () => {
    expect(plotLayout(1_000, 120.4, 100)).toMatchObject({ labelWidth: 121, marginLeft: 135 });
    expect(plotLayout(1_000, 900, 100)).toMatchObject({ labelWidth: 340, isStacked: false });
  });

  it('stacks labels above the drawing in a narrow plot', () => {
    expect(plotLayout(360, 900, 100)).toMatchObject({ isStacked: true, labelWidth: 246 });
  });

  it('has a height that is known before drawing', () => {
    expect(rowsHeight(1_000, 20)).toBe(20 * plotLayout(1_000, 1, 1).rowHeight);
    expect(rowsHeight(360, 3)).toBe(3 * plotLayout(360, 1, 1).rowHeight);
    expect(axisHeight(360)).toBeGreaterThan(axisHeight(1_000));
  });
});
