import type { Answered } from '../../api/wire.ts';
import { type Column, countColumn, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { bytes } from '../../parts/format.ts';

export type Usage = Answered<'/v1/usage'>[number];

export interface UsageTableProps {
  readonly usage: readonly Usage[];
  /** Whether there are several partners. */
  readonly isNamed?: boolean;
}

export function UsageTable({ usage, isNamed = false }: UsageTableProps) {
  if (usage.length === 0) {
    return (
      <EmptyState title="Nothing used yet">
        <p>Requests, rows, bytes and devices appear here by month.</p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Table of usage"
      className="card-rows"
      rows={usage}
      keyOf={({ month, partner_id }) => `${month} ${partner_id}`}
      columns={[
        { label: 'Month', cell: ({ month }) => month },
        ...(isNamed
          ? [{ label: 'Partner', cell: ({ partner_name }: Usage) => <bdi>{partner_name}</bdi> }]
          : []),
        countColumn('Requests', 'requests'),
        countColumn('Rows', 'rows'),
        countColumn('Devices', 'devices'),
        bytesColumn('Files', 'object_bytes'),
        bytesColumn('Device sets', 'set_bytes'),
      ]}
    />
  );
}

function bytesColumn(label: string, key: 'object_bytes' | 'set_bytes'): Column<Usage> {
  return { label, className: 'num', isCardLabelled: true, cell: (row) => bytes(row[key]) };
}
