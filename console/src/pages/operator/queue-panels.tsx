import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { count, duration } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { totalOf, troubleOf, worstFirst } from './lanes.ts';
import { ListTable } from './list-table.tsx';
import { SearchBar, SearchRest } from './search-bar.tsx';
import { useSearch } from './use-search.ts';
import type { Lane } from './wire.ts';

interface LanesProps {
  readonly lanes: readonly Lane[];
}

export function QueueSummary({ lanes }: LanesProps) {
  const { pending, running, inTrouble } = totalOf(lanes);
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
        <dt>Partners in trouble</dt>
        <dd className={inTrouble > 0 ? 'operator-bad' : ''}>{count(inTrouble)}</dd>
      </dl>
    </Panel>
  );
}

export function QueuePanel({ lanes }: LanesProps) {
  const search = useSearch(worstFirst(lanes), ({ name }) => [name]);
  return (
    <Panel title="Jobs by partner">
      {lanes.length === 0 ? (
        <EmptyState title="Nothing waits">
          <p>Every job that was submitted has ended.</p>
        </EmptyState>
      ) : (
        <>
          <SearchBar label="Search partners with jobs" search={search} />
          <LaneTable lanes={search.shown} />
          <SearchRest search={search} />
        </>
      )}
    </Panel>
  );
}

function LaneTable({ lanes }: LanesProps) {
  return (
    <ListTable
      caption="Jobs by partner, those in trouble first"
      columns={[
        'Partner',
        { label: 'Waiting', isNumber: true },
        { label: 'Running', isNumber: true, isWide: true },
        { label: 'Oldest', isNumber: true },
      ]}
    >
      {lanes.map((lane) => (
        <tr key={lane.partner_id}>
          <th scope="row" className="operator-name">
            <Link href={`/console/operator/partners/${lane.partner_id}`}>
              <bdi>{lane.name}</bdi>
            </Link>
            <LaneState lane={lane} />
          </th>
          <td className="num">{count(lane.pending)}</td>
          <td className="num operator-wide">{count(lane.running)}</td>
          <td className="num">{duration(lane.oldest_age_seconds)}</td>
        </tr>
      ))}
    </ListTable>
  );
}

function LaneState({ lane }: { readonly lane: Lane }) {
  switch (troubleOf(lane)) {
    case 'stuck':
      return (
        <span className="operator-aside">
          <StateBadge state="failed" word="Stuck" />{' '}
          <span className="operator-wide">
            Nothing runs: it waits for a retry, or for a worker.
          </span>
        </span>
      );
    case 'slow':
      return (
        <span className="operator-aside operator-slow">
          <StateBadge state="pending" word="Slow" />{' '}
          <span className="operator-wide">Jobs run, but the oldest has been there for long.</span>
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
