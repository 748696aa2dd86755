import * as Plot from '@observablehq/plot';
import { count, exactTime } from '../../parts/format.ts';
import type { Stops } from '../composition/plot-frame.tsx';
import { measureIn } from '../composition/text-width.ts';
import { fitTexts, timeFormat } from './history.ts';

export const plotHeight = 190;
const margins = { marginTop: 30, marginBottom: 24, marginLeft: 14, marginRight: 132 };
const fontSize = 12;
const tickSpacing = 150;
/** At least this many pixels are between two reasons. */
const gap = 12;

/** A change of an audience, or of an attribute, which has no matched devices. */
export interface PlottedChange {
  readonly changed_at: string;
  readonly unique_devices: number;
  readonly matched_devices?: number;
}

interface Texts<T> {
  reason(change: T): string;
  /** The lines of the tip after the time and the reason. */
  tip(change: T): readonly string[];
}

const timeOf = ({ changed_at }: PlottedChange) => new Date(changed_at);
const unique = ({ unique_devices }: PlottedChange) => unique_devices;
const matched = ({ matched_devices = 0 }: PlottedChange) => matched_devices;

/** Unique and matched devices over time. Each change has a mark, and its reason if that fits. */
export function drawHistory<T extends PlottedChange>(
  changes: readonly T[],
  texts: Texts<NoInfer<T>>,
  now: Date,
  width: number,
  element: HTMLElement,
): Element {
  const ordered = changes.toReversed();
  const last = ordered.at(-1)!;
  // The figures are still those of the last change.
  const drawn = [...ordered, { ...last, changed_at: now.toISOString() }];
  const from = timeOf(ordered[0]!).getTime();
  const measure = measureIn(element, fontSize, 400);
  const plotWidth = width - margins.marginLeft - margins.marginRight;
  const spanOf = (change: T) => {
    const share = (timeOf(change).getTime() - from) / (now.getTime() - from || 1);
    const at = share * plotWidth;
    const textWidth = measure(texts.reason(change)) + gap;
    // A text that would leave the plot ends at its mark instead of beginning there.
    const isBefore = at + textWidth > width - margins.marginLeft;
    return {
      change,
      isBefore,
      from: isBefore ? at - textWidth : at,
      to: at + (isBefore ? 0 : textWidth),
    };
  };
  const reasons = fitTexts(ordered.map(spanOf));
  return Plot.plot({
    className: 'row-plot',
    width,
    height: plotHeight,
    ...margins,
    x: { type: 'time', domain: [new Date(from), now] },
    y: { domain: [0, Math.max(1, ...ordered.map(unique), ...ordered.map(matched))], axis: null },
    marks: [
      Plot.gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 3 }),
      Plot.ruleX(ordered, { x: timeOf, stroke: 'var(--line-strong)', strokeOpacity: 0.5 }),
      ...lineMarks(drawn, unique, { stroke: 'var(--line-strong)', strokeWidth: 2 }),
      ...(last.matched_devices === undefined
        ? []
        : lineMarks(drawn, matched, { stroke: 'var(--accent)', strokeWidth: 3 })),
      ...[false, true].map((isBefore) =>
        Plot.text(
          reasons.filter((reason) => reason.isBefore === isBefore).map(({ change }) => change),
          {
            x: timeOf,
            text: texts.reason,
            frameAnchor: 'top',
            textAnchor: isBefore ? 'end' : 'start',
            dx: isBefore ? -3 : 3,
            dy: -16,
            fontSize,
            fill: 'var(--text)',
          },
        ),
      ),
      ...endLabels(last),
      Plot.axisX({
        label: null,
        tickSize: 0,
        ticks: timesBetween(from, now.getTime(), Math.max(1, Math.floor(plotWidth / tickSpacing))),
        tickFormat: timeFormat(now.getTime() - from),
        fill: 'var(--muted)',
      }),
      Plot.tip(
        ordered,
        Plot.pointerX({
          x: timeOf,
          y: unique,
          title: (change: T) => tipText(change, texts),
          fill: 'var(--surface)',
          stroke: 'var(--line-strong)',
          lineHeight: 1.35,
          textPadding: 10,
          fontSize,
        }),
      ),
    ],
  });
}

/** What the arrow keys visit, from the oldest change to the latest. */
export function historyStops<T extends PlottedChange>(
  changes: readonly T[],
  texts: Texts<NoInfer<T>>,
  now: Date,
): Stops {
  const ordered = changes.toReversed();
  const from = timeOf(ordered[0]!).getTime();
  return {
    texts: ordered.map((change) => tipText(change, texts)),
    pointOf(stop, width) {
      const share = (timeOf(ordered[stop]!).getTime() - from) / (now.getTime() - from || 1);
      const plotWidth = width - margins.marginLeft - margins.marginRight;
      return { x: margins.marginLeft + share * plotWidth, y: plotHeight / 2 };
    },
  };
}

function tipText<T extends PlottedChange>(change: T, { reason, tip }: Texts<T>): string {
  return [exactTime(timeOf(change)), reason(change), ...tip(change)].join('\n');
}

/** Evenly spaced, without the two ends. The ticks of a time scale would be too close for our texts. */
function timesBetween(from: number, to: number, count: number): Date[] {
  return Array.from(
    { length: count },
    (_, i) => new Date(from + ((i + 0.5) / count) * (to - from)),
  );
}

function lineMarks(
  drawn: readonly PlottedChange[],
  devices: (change: PlottedChange) => number,
  style: { readonly stroke: string; readonly strokeWidth: number },
): Plot.Markish[] {
  return [
    Plot.lineY(drawn, { x: timeOf, y: devices, curve: 'step-after', ...style }),
    Plot.dot(drawn.slice(0, -1), { x: timeOf, y: devices, r: 3, fill: style.stroke }),
  ];
}

/** The two lines end where they are named. Equal figures would cover each other, so the labels give way. */
function endLabels({ unique_devices, matched_devices }: PlottedChange): Plot.Markish[] {
  const label = (text: string, devices: number, dy: number, fill: string) =>
    Plot.text([text], {
      frameAnchor: 'right',
      y: () => devices,
      textAnchor: 'start',
      dx: 8,
      dy,
      fontSize,
      fontWeight: 600,
      fill,
    });
  if (matched_devices === undefined) {
    return [label(`${count(unique_devices)} devices`, unique_devices, 0, 'var(--muted)')];
  }
  const isNear = unique_devices - matched_devices < unique_devices * 0.12;
  return [
    label(`${count(unique_devices)} unique`, unique_devices, isNear ? -8 : 0, 'var(--muted)'),
    label(`${count(matched_devices)} matched`, matched_devices, isNear ? 8 : 0, 'var(--accent)'),
  ];
}
