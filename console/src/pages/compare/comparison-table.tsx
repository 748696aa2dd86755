import { type Column, DataTable } from '../../parts/data-table.tsx';
import { type Attribute, isDescribed } from '../composition/attribute.ts';
import { AttributeName } from '../composition/attribute-name.tsx';
import {
  indexText,
  intervalText,
  shareText,
  timesIntervalText,
  timesText,
} from '../composition/figures.ts';
import { ShowMore } from '../composition/show-more.tsx';
import { StandingMark } from '../composition/standing-mark.tsx';
import { useShown } from '../composition/use-shown.ts';
import { withheldBecause } from '../composition/withheld.ts';
import type { ComparedAttribute } from './comparison.ts';

interface ComparisonTableProps {
  readonly attributes: readonly ComparedAttribute[];
  readonly names: readonly [string, string];
  readonly listKey: string;
}

/** Share and index of each attribute in both audiences, and how the two shares differ. */
export function ComparisonTable({ attributes, names, listKey }: ComparisonTableProps) {
  const [shown, setShown] = useShown(listKey);
  const [first, second] = names;
  const columns: Column<ComparedAttribute>[] = [
    { label: 'Attribute', className: 'wide', cell: (row) => <AttributeName attribute={row} /> },
    figures(`Share of ${first}`, ({ one }) => shareOf(one)),
    figures(`Share of ${second}`, ({ other }) => shareOf(other)),
    figures(`Index of ${first}`, ({ one }) => indexOf(one)),
    figures(`Index of ${second}`, ({ other }) => indexOf(other)),
    figures('First against second', ({ ratio }) => ratioOf(ratio)),
  ];
  return (
    <>
      <DataTable
        label="Table of both audiences"
        className="comparison card-rows"
        rows={attributes.slice(0, shown)}
        columns={columns}
        keyOf={({ id }) => id}
        classOf={({ ratio }) => ratio.standing}
      />
      <ShowMore shown={shown} total={attributes.length} things="attributes" onShow={setShown} />
    </>
  );
}

function figures(
  label: string,
  cell: Column<ComparedAttribute>['cell'],
): Column<ComparedAttribute> {
  return { label, className: 'num wide', isCardLabelled: true, cell };
}

function shareOf(attribute: Attribute) {
  return isDescribed(attribute) ? shareText(attribute.audienceShare) : <Withheld of={attribute} />;
}

function indexOf(attribute: Attribute) {
  if (!isDescribed(attribute)) return '–';
  return `${indexText(attribute.index)} (${intervalText(attribute)})`;
}

/** The mark says whether the difference is significant. */
function ratioOf(ratio: Attribute) {
  if (!isDescribed(ratio)) return <Withheld of={ratio} />;
  return (
    <>
      <StandingMark standing={ratio.standing} />
      {timesText(ratio.index)} <span className="muted">({timesIntervalText(ratio)})</span>
    </>
  );
}

function Withheld({ of }: { readonly of: Attribute }) {
  return (
    <span className="muted">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">
        not shown: {withheldBecause[of.reason ?? 'too_few_devices']}
      </span>
    </span>
  );
}
