import './attributes.css';
import { useDeferredValue, useMemo } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Attribute, isDescribed } from './attribute.ts';
import { AttributePlot } from './attribute-plot.tsx';
import { AttributeTable } from './attribute-table.tsx';
import { type Baseline, baselineWords } from './baseline.ts';
import { Deferred } from './deferred.tsx';
import { filtered } from './filtering.ts';
import { GroupedPlot } from './grouped-plot.tsx';
import { categoriesOf } from './hierarchy.ts';
import { Legend } from './legend.tsx';
import { inOrder } from './ordering.ts';
import { PrintedView } from './printed-view.tsx';
import { plainView, queryOfView, sortOf, type View } from './view.ts';
import { ViewControls } from './view-controls.tsx';
import { WithheldNote } from './withheld-note.tsx';

/** About the height of its first 20 rows. */
const tableHeight = 880;

/** The attributes that match the filter, as a plot and as a table. */
export function AttributesSection({
  attributes,
  baseline,
  view,
  onView,
}: {
  attributes: readonly Attribute[];
  baseline: Baseline;
  view: View;
  onView: (view: View) => void;
}) {
  // Deferred, so typing stays fast with many rows.
  const { order, search, category, isGrouped } = useDeferredValue(view);
  const categories = useMemo(() => categoriesOf(attributes), [attributes]);
  const found = useMemo(
    () => filtered(attributes, { search, category }),
    [attributes, search, category],
  );
  const ordered = useMemo(() => inOrder(found.filter(isDescribed), order), [found, order]);
  const { choice } = baseline;
  const filterKey = queryOfView({ ...plainView, search, category, baseline: choice });
  const plotKey = queryOfView({
    ...plainView,
    order,
    search,
    category,
    isGrouped,
    baseline: choice,
  });
  const ChosenPlot = isGrouped ? GroupedPlot : AttributePlot;
  return (
    <>
      <Panel title="Attributes">
        <p className="how-to-read">
          An index of 200 means twice as common in this audience as among {baselineWords(baseline)},
          and 100 equally common. The z of an attribute says by how many standard errors its shares
          differ. Greyed-out attributes differ too little to rule out chance. Their q is 0.05 or
          more. Of the others, at most about 1 in 20 is expected to differ by chance alone.
        </p>
        <ViewControls
          view={view}
          categories={categories}
          total={attributes.length}
          onChange={onView}
        />
        {found.length === 0 ? (
          <EmptyState title="No matching attributes">
            Try fewer words or another category.
          </EmptyState>
        ) : (
          <>
            <PrintedView
              view={{ order, search, category }}
              found={found.length}
              total={attributes.length}
            />
            {ordered.length > 0 ? (
              <>
                <Legend attributes={found} baseline={baseline} />
                <ChosenPlot ordered={ordered} listKey={plotKey} />
              </>
            ) : (
              <EmptyState title="Too few devices for a plot" />
            )}
            <WithheldNote attributes={found} />
          </>
        )}
      </Panel>
      {found.length > 0 && (
        <Deferred height={tableHeight}>
          <Panel title="All figures">
            <AttributeTable
              attributes={found}
              sort={sortOf(view)}
              listKey={filterKey}
              onSort={(sort) => onView({ ...view, sort })}
            />
          </Panel>
        </Deferred>
      )}
    </>
  );
}
