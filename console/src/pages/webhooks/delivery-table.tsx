import type { ReactNode } from 'react';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { count } from '../../parts/format.ts';
import { Moment } from '../../parts/moment.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { type DeliveryWire, deliveryCondition } from './wire.ts';

interface DeliveryTableProps {
  readonly deliveries: readonly DeliveryWire[];
  actions?(delivery: DeliveryWire): ReactNode;
}

/** The events for a webhook, each with its last attempt. */
export function DeliveryTable({ deliveries, actions }: DeliveryTableProps) {
  if (deliveries.length === 0) {
    return (
      <EmptyState title="No events yet">
        <p>Events of the last 7 days are listed here, with the last attempt to deliver each.</p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Deliveries"
      className="card-rows"
      rows={deliveries}
      keyOf={({ delivery_id }) => delivery_id}
      columns={[
        { label: 'Event', cell: ({ type }) => <code>{type}</code> },
        { label: 'State', cell: (delivery) => <StateBadge {...deliveryCondition(delivery)} /> },
        { ...timeColumn('Happened', 'created_at'), isCardLabelled: true },
        {
          label: 'Attempts',
          className: 'num',
          isCardLabelled: true,
          cell: ({ attempts }) => count(attempts.length),
        },
        {
          label: 'Last response',
          className: 'wide',
          isCardLabelled: true,
          cell: ({ attempts }) => <LastAnswer attempt={attempts.at(-1)} />,
        },
        {
          label: 'Next attempt',
          isCardLabelled: true,
          cell: ({ next_attempt_at }) =>
            next_attempt_at === null ? (
              <span className="muted">none</span>
            ) : (
              <Moment at={next_attempt_at} />
            ),
        },
      ]}
      {...(actions ? { actions } : {})}
    />
  );
}

function LastAnswer({
  attempt,
}: {
  readonly attempt: DeliveryWire['attempts'][number] | undefined;
}) {
  if (attempt === undefined) return <span className="muted">none</span>;
  const { status, duration_ms, error, response } = attempt;
  return (
    <>
      {status ?? error}, {count(duration_ms)} ms
      {response !== null && response !== '' && <code className="webhook-response">{response}</code>}
    </>
  );
}
