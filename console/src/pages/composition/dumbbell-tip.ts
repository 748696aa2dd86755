import * as Plot from '@observablehq/plot';
import { count } from '../../parts/format.ts';
import type { DescribedAttribute } from './attribute.ts';
import { indexText, intervalText, qText, shareIntervalText, shareText, zText } from './figures.ts';

/** All figures of the row under the pointer. */
export function dumbbellTip(
  attributes: readonly DescribedAttribute[],
  keyOf: (attribute: DescribedAttribute) => number,
): Plot.RenderableMark {
  return Plot.tip(
    attributes,
    Plot.pointerY({
      x: (attribute: DescribedAttribute) => attribute.audienceShare,
      y: keyOf,
      title: tipText,
      fill: 'var(--surface)',
      stroke: 'var(--line-strong)',
      lineWidth: 30,
      lineHeight: 1.35,
      textPadding: 10,
      fontSize: 12,
    }),
  );
}

export function tipText(attribute: DescribedAttribute): string {
  const { audienceDevices, audienceShare, baselineDevices, baselineShare, index } = attribute;
  const { z, q } = attribute;
  const interval = intervalText(attribute);
  return [
    [...attribute.ancestors, attribute.leaf].join(' › '),
    `Audience ${shareText(audienceShare)}${devicesText(audienceDevices)}`,
    `95% interval ${shareIntervalText(attribute)}`,
    `Baseline ${shareText(baselineShare)}${devicesText(baselineDevices)}`,
    `Index ${indexText(index)}${interval && ` (95% interval ${interval})`}`,
    z === null || q === null
      ? 'No devices outside the audience to compare with'
      : `z ${zText(z)}, q ${qText(q)}, ${certainty[attribute.standing]}`,
  ].join('\n');
}

function devicesText(devices: number | null): string {
  return devices === null ? '' : `, ${count(devices)} devices`;
}

const certainty = {
  over: 'significantly over',
  under: 'significantly under',
  level: 'no significant difference',
  withheld: '',
};
