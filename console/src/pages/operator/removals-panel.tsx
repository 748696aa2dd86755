import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Status } from './wire.ts';

/** Removed partners and customers whose data is being deleted. */
export function RemovalsPanel({ removals }: { readonly removals: Status['removals'] }) {
  if (removals.length === 0) return null;
  return (
    <Panel title="Being removed">
      <DataTable
        label="Table of removals"
        rows={removals}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        columns={[
          { label: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
          { label: 'Kind', cell: ({ kind }) => kind },
          timeColumn('Removed', 'removed_at'),
          timeColumn('Deleted by', 'delete_by'),
        ]}
      />
    </Panel>
  );
}
