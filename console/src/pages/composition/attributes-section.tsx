import './attributes.css';
import { useDeferredValue, useMemo } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Attribute, isDescribed } from './attribute.ts';
import { AttributePlot } from './attribute-plot.tsx';
import { AttributeTable } from './attribute-table.tsx';
import { filtered } from './filtering.ts';
import { GroupedPlot } from './grouped-plot.tsx';
import { categoriesOf } from './hierarchy.ts';
import { Later } from './later.tsx';
import { Legend } from './legend.tsx';
import { inOrder } from './ordering.ts';
import { useView } from './use-view.ts';
import { queryOfView } from './view.ts';
import { ViewControls } from './view-controls.tsx';
import { WithheldNote } from './withheld-note.tsx';

/** About that of its first twenty rows. */
const tableHeight = 880;

/** The attributes as a plot and as a table, both of what is asked for. */
export function AttributesSection({ attributes }: { attributes: readonly Attribute[] }) {
  const [view, setView] = useView();
  // Typing stays quick however many rows are shown: they follow when there is time.
  const { order, search, category, isGrouped } = useDeferredValue(view);
  const categories = useMemo(() => categoriesOf(attributes), [attributes]);
  const found = useMemo(
    () => filtered(attributes, { search, category }),
    [attributes, search, category],
  );
  const ordered = useMemo(() => inOrder(found.filter(isDescribed), order), [found, order]);
  const filterKey = queryOfView({ order: 'over', search, category, isGrouped: false });
  const plotKey = queryOfView({ order, search, category, isGrouped });
  const PlotOfChoice = isGrouped ? GroupedPlot : AttributePlot;
  return (
    <>
      <Panel title="Attributes">
        <p className="how-to-read">
          An index of 200 means twice as common in this audience as among all devices of the
          marketplace, 100 means just as common. Where |z| is below 1.96 the difference may well be
          chance: such attributes are muted.
        </p>
        <ViewControls
          view={view}
          categories={categories}
          total={attributes.length}
          onChange={setView}
        />
        {found.length === 0 ? (
          <EmptyState title="No attribute is called so">
            Try fewer words, or another category.
          </EmptyState>
        ) : (
          <>
            <Legend attributes={found} />
            {ordered.length > 0 && <PlotOfChoice ordered={ordered} listKey={plotKey} />}
            <WithheldNote attributes={found} />
          </>
        )}
      </Panel>
      {found.length > 0 && (
        <Later height={tableHeight}>
          <Panel title="All figures">
            <AttributeTable attributes={found} listKey={filterKey} />
          </Panel>
        </Later>
      )}
    </>
  );
}
