import type { Answered } from '../../api/wire.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { bytes, count } from '../../parts/format.ts';

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
      rows={usage}
      keyOf={({ month, partner_id }) => `${month} ${partner_id}`}
      columns={[
        { label: 'Month', cell: ({ month }) => month },
        ...(isNamed
          ? [{ label: 'Partner', cell: ({ partner_name }: Usage) => <bdi>{partner_name}</bdi> }]
          : []),
        { label: 'Requests', className: 'num', cell: ({ requests }) => count(requests) },
        { label: 'Rows', className: 'num', cell: ({ rows }) => count(rows) },
        { label: 'Devices', className: 'num', cell: ({ devices }) => count(devices) },
        {
          label: 'Files',
          className: 'num wide-only',
          cell: ({ object_bytes }) => bytes(object_bytes),
        },
        {
          label: 'Device sets',
          className: 'num wide-only',
          cell: ({ set_bytes }) => bytes(set_bytes),
        },
      ]}
    />
  );
}
