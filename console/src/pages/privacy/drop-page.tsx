import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { countColumn, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import '../operator/operator.css';
import './privacy.css';
import { badgeOfCycle, type DropCycle, type DropStatus } from './drop-cycle.ts';

/** California's deletion lists: when they were fetched, and what became of each. */
export function DropPage() {
  const api = useApi();
  const status = useAnswer(() => answerOf(api.GET('/admin/v1/privacy/drop')), []);
  const cycles = useAnswer(() => answerOf(api.GET('/admin/v1/privacy/cycles')), []);
  const sync = useAction(async () => {
    await answerOf(api.POST('/admin/v1/privacy/drop/sync'));
    status.reload();
    cycles.reload();
  });
  return (
    <Page
      title="DROP"
      subtitle="California's deletion lists: fetched, deleted and answered."
      actions={
        <>
          <ButtonLink href="/console/operator/privacy">All requests</ButtonLink>
          <Button
            kind="primary"
            disabled={sync.isRunning || !status.data?.is_automatic}
            onClick={() => void sync.run()}
          >
            Call DROP now
          </Button>
        </>
      }
    >
      <ProblemNote problem={status.problem ?? cycles.problem ?? sync.problem} />
      {status.data && <Standing status={status.data} />}
      <Panel title="Archives">
        {cycles.data?.length === 0 && (
          <EmptyState title="No archives yet">
            <p>
              Set TRIBUTARY_DROP_API_KEY for the workers, or bring an archive with “tributary drop
              sync --manual”.
            </p>
          </EmptyState>
        )}
        {cycles.data && cycles.data.length > 0 && <CycleTable cycles={cycles.data} />}
      </Panel>
    </Page>
  );
}

function Standing({ status }: { readonly status: DropStatus }) {
  return (
    <Panel>
      <dl className="operator-facts">
        <dt>Last access</dt>
        <dd>
          <Moment at={status.accessed_at} />
        </dd>
        <dt>Next download</dt>
        <dd>
          {status.is_automatic ? (
            <Moment at={status.next_session_at} />
          ) : (
            'none, because the workers have no API key'
          )}
        </dd>
        {status.is_requested && (
          <>
            <dt>Requested</dt>
            <dd>A worker will call DROP.</dd>
          </>
        )}
        {status.problem !== null && (
          <>
            <dt>Problem</dt>
            <dd className="operator-bad">
              <bdi>{status.problem}</bdi>
            </dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

function CycleTable({ cycles }: { readonly cycles: readonly DropCycle[] }) {
  return (
    <DataTable
      label="Table of archives"
      rows={cycles}
      keyOf={({ cycle_id }) => cycle_id}
      columns={[
        {
          label: 'Archive',
          className: 'privacy-reference',
          cell: ({ cycle_id, archive_name }) => (
            <Link href={`/console/operator/privacy/drop/${cycle_id}`}>
              <bdi>{archive_name}</bdi>
            </Link>
          ),
        },
        { label: 'State', cell: (cycle) => <StateBadge {...badgeOfCycle(cycle)} /> },
        countColumn('Items', 'items'),
        timeColumn('Downloaded', 'downloaded_at'),
        timeColumn('Ended', 'ended_at', 'wide-only'),
      ]}
    />
  );
}
