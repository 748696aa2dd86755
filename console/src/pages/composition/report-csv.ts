import { csvLine } from '../../parts/csv-line.ts';
import type { Attribute } from './attribute.ts';
import { filtered } from './filtering.ts';
import { sorted } from './ordering.ts';
import { sortOf, type View } from './view.ts';
import { withheldBecause } from './withheld.ts';

const columns: Readonly<Record<string, (attribute: Attribute) => string | number | null>> = {
  Attribute: ({ name }) => name,
  'Audience devices': ({ audienceDevices }) => audienceDevices,
  'Audience share (%)': ({ audienceShare }) => percent(audienceShare),
  'Audience share, low (%)': ({ shareLow }) => percent(shareLow),
  'Audience share, high (%)': ({ shareHigh }) => percent(shareHigh),
  'Baseline devices': ({ baselineDevices }) => baselineDevices,
  'Baseline share (%)': ({ baselineShare }) => percent(baselineShare),
  Index: ({ index }) => rounded(index, 4),
  'Index, low': ({ indexLow }) => rounded(indexLow, 4),
  'Index, high': ({ indexHigh }) => rounded(indexHigh, 4),
  z: ({ z }) => rounded(z, 4),
  q: ({ q }) => rounded(q, 2),
  'Not shown because': ({ reason }) => reason && withheldBecause[reason],
};

/** The rows of the table with the view's filter and order, as a file for spreadsheets. */
export function reportCsv(attributes: readonly Attribute[], view: View): string {
  const rows = sorted(filtered(attributes, view), sortOf(view));
  const cells = Object.values(columns);
  return [
    csvLine(Object.keys(columns)),
    ...rows.map((attribute) => csvLine(cells.map((cell) => cell(attribute)))),
  ].join('');
}

function percent(share: number | null): number | null {
  return share === null ? null : rounded(share * 100, 4);
}

/** To significant digits, because small shares are as interesting as large ones. */
function rounded(figure: number | null, digits: number): number | null {
  return figure === null ? null : Number(figure.toPrecision(digits));
}
