import { useMemo } from 'react';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import type { DescribedAttribute } from './attribute.ts';
import { Dumbbells, wholeLabel } from './dumbbells.tsx';
import { type Group, groupedByCategory } from './grouping.ts';
import type { RowLabel } from './row-label.ts';
import { ShowMore } from './show-more.tsx';
import { useShown } from './use-shown.ts';

const firstOfGroup = 5;

/** A plot for each category, all on the same scale, so they can be compared. */
export function GroupedPlot({
  ordered,
  listKey,
}: {
  ordered: readonly DescribedAttribute[];
  listKey: string;
}) {
  const groups = useMemo(() => groupedByCategory(ordered), [ordered]);
  const [shown, setShown] = useShown(listKey);
  return (
    <>
      {groups.slice(0, shown).map((group, position) => (
        <CategoryPlot
          key={group.category ?? ''}
          group={group}
          common={ordered}
          hasHead={position === 0}
          listKey={listKey}
        />
      ))}
      <ShowMore
        shown={shown}
        total={groups.length}
        things="categories"
        printed="in the plot. The table below has all."
        onShow={setShown}
      />
    </>
  );
}

function CategoryPlot({
  group,
  common,
  hasHead,
  listKey,
}: {
  group: Group<DescribedAttribute>;
  common: readonly DescribedAttribute[];
  hasHead: boolean;
  listKey: string;
}) {
  const { attributes } = group;
  const [shown, setShown] = useShown(listKey, firstOfGroup);
  const drawn = useMemo(() => attributes.slice(0, shown), [attributes, shown]);
  const isAll = shown >= attributes.length;
  const name = group.category ?? 'No category';
  return (
    <section className="category-plot" aria-label={name}>
      <h3>
        <bdi>{name}</bdi> <span className="muted">{count(attributes.length)}</span>
        {!isAll && (
          <span className="print-only muted"> (the first {count(shown)} are plotted)</span>
        )}
        {attributes.length > firstOfGroup && (
          <Button
            aria-expanded={isAll}
            onClick={() => setShown(isAll ? firstOfGroup : attributes.length)}
          >
            {isAll ? `Show ${firstOfGroup}` : `Show all ${count(attributes.length)}`}
          </Button>
        )}
      </h3>
      <Dumbbells attributes={drawn} common={common} hasHead={hasHead} labelOf={labelInCategory} />
    </section>
  );
}

/** The heading already names the category. */
function labelInCategory(attribute: DescribedAttribute): RowLabel {
  return wholeLabel({ ...attribute, ancestors: attribute.ancestors.slice(1) });
}
