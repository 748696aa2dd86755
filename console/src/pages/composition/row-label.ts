import * as Plot from '@observablehq/plot';
import { type FittedLabel, fitLabel, type Measure } from './label-fit.ts';
import type { PlotLayout } from './plot-layout.ts';

/** The label at the left of a row. */
export interface RowLabel {
  readonly ancestors: readonly string[];
  readonly leaf: string;
  readonly isMuted: boolean;
}

export function widestLabel(labels: readonly RowLabel[], measure: Measure): number {
  let widest = 0;
  for (const { ancestors, leaf } of labels) {
    widest = Math.max(widest, measure([...ancestors, leaf].join(' › ')));
  }
  return widest;
}

/** The labels of all rows as one mark: ancestors are muted, and labels are cut to fit. */
export function rowLabels<T>(
  rows: readonly T[],
  layout: PlotLayout,
  measure: Measure,
  labelOf: (row: T) => RowLabel,
  keyOf: (row: T) => string | number,
): Plot.RenderableMark {
  return Plot.text(rows, {
    y: keyOf,
    text: (row: T) => labelOf(row).leaf,
    frameAnchor: 'left',
    textAnchor: layout.isStacked ? 'start' : 'end',
    dx: layout.isStacked ? -layout.marginLeft : layout.labelWidth - layout.marginLeft,
    dy: layout.isStacked ? -layout.rowHeight / 5 : 0,
    render(index, scales, values, dimensions, context, next) {
      const group = next?.(index, scales, values, dimensions, context) ?? null;
      index.forEach((row, position) => {
        const text = group?.children[position];
        if (!text) return;
        const { ancestors, leaf, isMuted } = labelOf(rows[row]!);
        writeLabel(text, fitLabel(ancestors, leaf, layout.labelWidth, measure));
        text.classList.add(isMuted ? 'row-muted' : 'row-leaf');
      });
      return group;
    },
  });
}

function writeLabel(text: Element, label: FittedLabel): void {
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'tspan');
  path.setAttribute('class', 'row-path');
  path.textContent = label.path;
  text.replaceChildren(path, label.leaf);
}
