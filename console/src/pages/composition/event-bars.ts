import * as Plot from '@observablehq/plot';
import { count } from '../../parts/format.ts';
import type { EventLabel } from './attribute.ts';
import { shareText } from './figures.ts';
import { plotLayout, rowsHeight } from './plot-layout.ts';
import { rowLabels, widestLabel } from './row-label.ts';
import { measureIn } from './text-width.ts';

const figuresWidth = 132;
const shareWidth = 52;
const barHeight = 12;
const fontSize = 13;

const keyOf = ({ label }: EventLabel) => label;
const labelOf = ({ label }: EventLabel) => ({ ancestors: [], leaf: label, isMuted: false });

/** A bar for each label. Its length is the number of devices, relative to the largest label. */
export function drawEventBars(
  events: readonly EventLabel[],
  most: number,
  width: number,
  element: HTMLElement,
): Element {
  const measure = measureIn(element, fontSize, 500);
  const widest = widestLabel(events.map(labelOf), measure);
  const rows = plotLayout(width, widest, figuresWidth);
  // Bars start at the very edge; only markers need a margin there.
  const layout = rows.isStacked ? { ...rows, marginLeft: 0, marginRight: 0 } : rows;
  const lift = layout.isStacked ? layout.rowHeight / 5 : 0;
  const figuresAt = { y: keyOf, frameAnchor: 'right', textAnchor: 'end', dy: -lift } as const;
  const { marginLeft, marginRight } = layout;
  return Plot.plot({
    className: 'row-plot',
    width,
    height: rowsHeight(width, events.length),
    marginTop: 0,
    marginBottom: 0,
    marginLeft,
    marginRight,
    x: { domain: [0, Math.max(1, most)], axis: null },
    y: { type: 'band', domain: events.map(keyOf), padding: 0, axis: null },
    marks: [
      Plot.barX(events, {
        x: ({ devices }: EventLabel) => devices,
        y: keyOf,
        dy: lift,
        insetTop: (layout.rowHeight - barHeight) / 2,
        insetBottom: (layout.rowHeight - barHeight) / 2,
        fill: 'var(--accent)',
        rx: 2,
      }),
      rowLabels(events, layout, measure, labelOf, keyOf),
      Plot.text(events, {
        ...figuresAt,
        text: ({ devices }: EventLabel) => count(devices),
        fontWeight: 600,
        dx: marginRight - shareWidth,
      }),
      Plot.text(events, {
        ...figuresAt,
        text: ({ share }: EventLabel) => (share === null ? '' : shareText(share)),
        fill: 'var(--muted)',
        dx: marginRight,
      }),
    ],
  });
}
