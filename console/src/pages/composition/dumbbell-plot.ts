import * as Plot from '@observablehq/plot';
import type { DescribedAttribute, Standing } from './attribute.ts';
import { dumbbellTip } from './dumbbell-tip.ts';
import { indexText, intervalText } from './figures.ts';
import { axisHeight, type PlotLayout, plotLayout, rowsHeight } from './plot-layout.ts';
import { type RowLabel, rowLabels, widestLabel } from './row-label.ts';
import { symbolOf } from './symbols.ts';
import { measureIn } from './text-width.ts';

const figuresWidth = 146;
const intervalWidth = 98;
const fontSize = 13;
const tickSpacing = 90;

const colours: Record<Standing, string> = {
  over: 'var(--over)',
  under: 'var(--under)',
  level: 'var(--muted)',
  withheld: 'var(--muted)',
};

export interface DumbbellRows {
  readonly attributes: readonly DescribedAttribute[];
  /** The attributes that determine the scale and the label width, shared by plots to compare. */
  readonly common: readonly DescribedAttribute[];
  readonly hasHead: boolean;
  labelOf(attribute: DescribedAttribute): RowLabel;
}

const keyOf = (attribute: DescribedAttribute) => attribute.id;
const audienceShare = (attribute: DescribedAttribute) => attribute.audienceShare;
const baselineShare = (attribute: DescribedAttribute) => attribute.baselineShare;
const colour = (attribute: DescribedAttribute) => colours[attribute.standing];

/** One row per attribute: its share of the audience, joined to its share of the baseline. */
export function drawDumbbells(
  { attributes, common, hasHead, labelOf }: DumbbellRows,
  width: number,
  element: HTMLElement,
): Element {
  const measure = measureIn(element, fontSize, 500);
  const widest = widestLabel(common.map(labelOf), measure);
  const layout = plotLayout(width, widest, figuresWidth);
  const largestShare = largestShareOf(common);
  const headHeight = hasHead ? axisHeight(width) : 0;
  // When stacked, the drawing is in the lower half of its row.
  const drawnAt = { y: keyOf, dy: layout.isStacked ? layout.rowHeight / 5 : 0 };
  const figuresAt = {
    y: keyOf,
    frameAnchor: 'right',
    textAnchor: 'end',
    dy: layout.isStacked ? -layout.rowHeight / 5 : 0,
  } as const;
  return Plot.plot({
    className: 'row-plot',
    width,
    height: headHeight + rowsHeight(width, attributes.length),
    marginTop: headHeight,
    marginBottom: 0,
    marginLeft: layout.marginLeft,
    marginRight: layout.marginRight,
    x: { domain: [0, largestShare], axis: null },
    y: { type: 'band', domain: attributes.map(keyOf), padding: 0, axis: null },
    color: { type: 'identity' },
    marks: [
      Plot.barX(
        attributes,
        Plot.pointerY({
          y: keyOf,
          x1: 0,
          x2: largestShare,
          fill: 'var(--sunken)',
          insetLeft: -layout.marginLeft,
          insetRight: -layout.marginRight,
        }),
      ),
      Plot.gridX({ stroke: 'var(--line)', strokeOpacity: 1, tickSpacing }),
      Plot.ruleY(attributes, {
        ...drawnAt,
        x1: (attribute: DescribedAttribute) => shareAt(attribute, attribute.indexLow),
        x2: (attribute: DescribedAttribute) => shareAt(attribute, attribute.indexHigh),
        stroke: colour,
        strokeOpacity: 0.22,
        strokeWidth: 9,
      }),
      Plot.ruleY(attributes, {
        ...drawnAt,
        x1: baselineShare,
        x2: audienceShare,
        stroke: colour,
        strokeWidth: 2,
      }),
      Plot.tickX(attributes, {
        ...drawnAt,
        x: baselineShare,
        stroke: 'var(--text)',
        strokeWidth: 2,
        inset: (layout.rowHeight - 12) / 2,
      }),
      ...(['over', 'under', 'level'] as const).map((standing) =>
        Plot.dot(
          attributes.filter((attribute) => attribute.standing === standing),
          {
            ...drawnAt,
            x: audienceShare,
            symbol: symbolOf[standing],
            r: 5,
            fill: standing === 'level' ? 'var(--surface)' : colours[standing],
            stroke: standing === 'level' ? colours.level : 'var(--surface)',
            strokeWidth: 1.5,
          },
        ),
      ),
      rowLabels(attributes, layout, measure, labelOf, keyOf),
      Plot.text(attributes, {
        ...figuresAt,
        text: (attribute: DescribedAttribute) => indexText(attribute.index),
        fill: colour,
        fontWeight: 600,
        dx: layout.marginRight - intervalWidth,
      }),
      Plot.text(attributes, {
        ...figuresAt,
        text: intervalText,
        fill: 'var(--muted)',
        dx: layout.marginRight,
      }),
      ...(hasHead ? headMarks(layout) : []),
      dumbbellTip(attributes, keyOf),
    ],
  });
}

/** The axis and the headings of the two columns of figures. */
function headMarks({ width, marginRight }: PlotLayout): Plot.Markish[] {
  const head = {
    frameAnchor: 'top-right',
    textAnchor: 'end',
    dy: 8 - axisHeight(width),
    fill: 'var(--muted)',
    fontSize: 12,
  } as const;
  return [
    Plot.axisX({
      anchor: 'top',
      label: null,
      tickSize: 0,
      tickPadding: 8,
      tickSpacing,
      tickFormat: '%',
      fill: 'var(--muted)',
    }),
    Plot.text(['Index'], { ...head, dx: marginRight - intervalWidth }),
    Plot.text(['95% interval'], { ...head, dx: marginRight }),
  ];
}

/** The end of the axis, slightly beyond the largest share. */
function largestShareOf(attributes: readonly DescribedAttribute[]): number {
  let largest = 0;
  for (const attribute of attributes) {
    const { audienceShare, baselineShare, indexHigh } = attribute;
    const high = shareAt(attribute, indexHigh) ?? 0;
    largest = Math.max(largest, audienceShare, baselineShare, high);
  }
  return Math.min(1, largest * 1.02) || 1;
}

/** Converts an end of the index's interval into a share of the audience. */
function shareAt({ baselineShare }: DescribedAttribute, index: number | null): number | null {
  return index === null ? null : (baselineShare * index) / 100;
}
