import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { count, duration } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { totalOf, troubledPartners, troubleOf, worstFirst } from './lanes.ts';
import { SearchTable } from './search-table.tsx';
import type { Lane, Status } from './wire.ts';

interface LanesProps {
  readonly lanes: readonly Lane[];
}

export function QueueSummary({ status }: { readonly status: Status }) {
  const lanes = status.queue;
  const { pending, running } = totalOf(lanes);
  const troubled = troubledPartners(status).length;
  return (
    <Panel title="Queue">
      <p className="operator-figure">
        {count(pending)} <span>waiting</span>
      </p>
      <dl className="operator-facts">
        <dt>Running</dt>
        <dd>{count(running)}</dd>
        <dt>Partners with jobs</dt>
        <dd>{count(lanes.length)}</dd>
        <dt>Partners with problems</dt>
        <dd className={troubled > 0 ? 'operator-bad' : ''}>{count(troubled)}</dd>
      </dl>
    </Panel>
  );
}

export function QueuePanel({ lanes }: LanesProps) {
  return (
    <Panel title="Jobs by partner">
      {lanes.length === 0 ? (
        <EmptyState title="The queue is empty">
          <p>All submitted jobs have finished.</p>
        </EmptyState>
      ) : (
        <LaneTable lanes={lanes} />
      )}
    </Panel>
  );
}

function LaneTable({ lanes }: LanesProps) {
  return (
    <SearchTable
      label="Table of jobs by partner, problems first"
      searchLabel="Search partners with jobs"
      textsOf={({ name }) => [name]}
      rows={worstFirst(lanes)}
      keyOf={({ partner_id }) => partner_id}
      columns={[
        {
          label: 'Partner',
          className: 'operator-name',
          cell: (lane) => (
            <>
              <Link href={`/console/operator/partners/${lane.partner_id}`}>
                <bdi>{lane.name}</bdi>
              </Link>
              <LaneState lane={lane} />
            </>
          ),
        },
        { label: 'Waiting', className: 'num', cell: ({ pending }) => count(pending) },
        { label: 'Running', className: 'num wide-only', cell: ({ running }) => count(running) },
        {
          label: 'Oldest',
          className: 'num',
          cell: ({ oldest_age_seconds }) => duration(oldest_age_seconds),
        },
      ]}
    />
  );
}

function LaneState({ lane }: { readonly lane: Lane }) {
  switch (troubleOf(lane)) {
    case 'stuck':
      return (
        <span className="operator-aside">
          <StateBadge state="failed" word="Stuck" />{' '}
          <span className="wide-only">
            Nothing is running: the next job waits for a retry or for a worker.
          </span>
        </span>
      );
    case 'slow':
      return (
        <span className="operator-aside operator-slow">
          <StateBadge state="pending" word="Slow" />{' '}
          <span className="wide-only">Jobs are running, but the oldest is overdue.</span>
        </span>
      );
    case undefined:
      return (
        <span className="operator-aside">
          <StateBadge state={lane.running > 0 ? 'running' : 'pending'} />
        </span>
      );
  }
}
