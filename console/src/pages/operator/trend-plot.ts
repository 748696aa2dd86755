import * as Plot from '@observablehq/plot';
import type { Stops } from '../composition/plot-frame.tsx';
import type { TrendDay } from './wire.ts';

export const plotHeight = 120;
const fontSize = 12;
const tickSpacing = 90;

/** A figure of each day, drawn as a bar. */
export interface Trend {
  readonly title: string;
  readonly isBad: boolean;
  of(day: TrendDay): number;
  /** The figure in words, such as `1,200 rows`. */
  words(figure: number): string;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** 31 Jan */
export function dayWords({ day }: Pick<TrendDay, 'day'>): string {
  return dayFormat.format(new Date(day));
}

export function drawTrend(trend: Trend, days: readonly TrendDay[], width: number): Element {
  const every = Math.ceil(days.length / Math.max(1, Math.floor(width / tickSpacing)));
  const named = days.filter((_, i) => (days.length - 1 - i) % every === 0);
  return Plot.plot({
    className: 'row-plot',
    width,
    height: plotHeight,
    marginTop: 6,
    marginBottom: 20,
    marginLeft: 0,
    marginRight: 0,
    x: { type: 'band', domain: days.map(({ day }) => day), padding: 0.2, axis: null },
    y: { domain: [0, Math.max(1, ...days.map(trend.of))], axis: null },
    marks: [
      Plot.barY(days, {
        x: 'day',
        y: trend.of,
        fill: trend.isBad ? 'var(--bad)' : 'var(--accent)',
        rx: 1,
      }),
      Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
      Plot.text(named, {
        x: 'day',
        text: dayWords,
        frameAnchor: 'bottom',
        textAnchor: 'end',
        dx: 6,
        dy: 16,
        fontSize,
        fill: 'var(--muted)',
      }),
      Plot.tip(
        days,
        Plot.pointerX({
          x: 'day',
          y: trend.of,
          title: (day: TrendDay) => tipText(trend, day),
          fill: 'var(--surface)',
          stroke: 'var(--line-strong)',
          lineHeight: 1.35,
          textPadding: 8,
          fontSize,
        }),
      ),
    ],
  });
}

/** What the arrow keys visit, from the oldest day to the latest. */
export function trendStops(trend: Trend, days: readonly TrendDay[]): Stops {
  return {
    texts: days.map((day) => tipText(trend, day)),
    pointOf: (stop, width) => ({ x: ((stop + 0.5) / days.length) * width, y: plotHeight / 2 }),
  };
}

function tipText(trend: Trend, day: TrendDay): string {
  return `${dayWords(day)}\n${trend.words(trend.of(day))}`;
}
