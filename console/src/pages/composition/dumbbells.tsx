import { useCallback } from 'react';
import type { DescribedAttribute } from './attribute.ts';
import { type DumbbellRows, drawDumbbells } from './dumbbell-plot.ts';
import { tipText } from './dumbbell-tip.ts';
import { indexText } from './figures.ts';
import { PlotFrame } from './plot-frame.tsx';
import { axisHeight, rowsHeight } from './plot-layout.ts';
import type { RowLabel } from './row-label.ts';

/** Attributes as a dumbbell plot. The table below has the same figures for screen readers. */
export function Dumbbells({
  attributes,
  common = attributes,
  hasHead = true,
  labelOf = wholeLabel,
}: {
  attributes: DumbbellRows['attributes'];
  common?: DumbbellRows['common'];
  hasHead?: boolean;
  labelOf?: DumbbellRows['labelOf'];
}) {
  const draw = useCallback(
    (width: number, element: HTMLElement) =>
      drawDumbbells({ attributes, common, hasHead, labelOf }, width, element),
    [attributes, common, hasHead, labelOf],
  );
  const headHeight = (width: number) => (hasHead ? axisHeight(width) : 0);
  return (
    <PlotFrame
      label={describe(attributes)}
      heightAt={(width) => headHeight(width) + rowsHeight(width, attributes.length)}
      draw={draw}
      stops={{
        texts: attributes.map(tipText),
        pointOf: (row, width) => ({
          x: width / 2,
          y: headHeight(width) + rowsHeight(width, row + 0.5),
        }),
      }}
    />
  );
}

export function wholeLabel({ ancestors, leaf, standing }: DescribedAttribute): RowLabel {
  return { ancestors, leaf, isMuted: standing === 'level' };
}

function describe(attributes: readonly DescribedAttribute[]): string {
  const first = attributes[0];
  const last = attributes.at(-1);
  if (!first || !last) return 'No attributes';
  return `Share of the audience against share of the baseline for ${attributes.length} attributes, from ${first.name} with index ${indexText(first.index)} to ${last.name} with index ${indexText(last.index)}. The table below has all figures.`;
}
