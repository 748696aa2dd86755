import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { NewRequestDialog } from './new-request-dialog.tsx';
import './privacy.css';
import { badgeOf, foundInWords, kindWords, type PrivacyRequest } from './privacy-request.ts';
import { useRequests } from './use-requests.ts';

/** For a privacy officer: what people asked about the data of their devices. */
export function PrivacyPage() {
  const requests = useRequests();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Privacy"
      subtitle="Requests to delete devices, to opt them out, or to tell what is stored about them."
      actions={
        <>
          <ButtonLink href="/console/operator/privacy/drop">DROP</ButtonLink>
          <Button kind="primary" onClick={() => setCreating(true)}>
            New request
          </Button>
        </>
      }
    >
      <ProblemNote problem={requests.problem} />
      <Panel>
        {requests.listed?.length === 0 && (
          <EmptyState title="No requests yet">
            <p>
              Create one when a person asks about a device. You need its advertising identifier.
            </p>
          </EmptyState>
        )}
        {requests.listed && requests.listed.length > 0 && (
          <RequestTable requests={requests.listed} />
        )}
        {requests.hasMore && (
          <p className="privacy-more">
            <Button disabled={requests.isWaiting} onClick={requests.showMore}>
              Show more
            </Button>
          </p>
        )}
      </Panel>
      {isCreating && (
        <NewRequestDialog
          onCreated={({ request_id }) => navigate(`/console/operator/privacy/${request_id}`)}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}

function RequestTable({ requests }: { readonly requests: readonly PrivacyRequest[] }) {
  return (
    <DataTable
      label="Table of privacy requests"
      rows={requests}
      keyOf={({ request_id }) => request_id}
      columns={[
        {
          label: 'Request',
          className: 'privacy-reference',
          cell: ({ request_id, kind, reference }) => (
            <>
              <Link href={`/console/operator/privacy/${request_id}`}>
                {kindWords[kind]} {request_id}
              </Link>{' '}
              <bdi className="muted">{reference}</bdi>
            </>
          ),
        },
        { label: 'State', cell: (request) => <StateBadge {...badgeOf(request)} /> },
        { label: 'Found', className: 'wide-only', cell: foundInWords },
        timeColumn('Received', 'received_at'),
        {
          label: 'Done',
          className: 'wide-only',
          cell: ({ done_at }) =>
            done_at === null ? <span className="muted">not yet</span> : <Moment at={done_at} />,
        },
      ]}
    />
  );
}
