import { useState } from 'react';
import { Link } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { NewWebhookDialog } from './new-webhook-dialog.tsx';
import './webhooks.css';
import { conditionOf } from './wire.ts';

/** A partner's webhooks. */
export function WebhooksPage() {
  const api = useApi();
  const webhooks = useAnswer(() => answerOf(api.GET('/v1/webhooks')), [api]);
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Webhooks"
      subtitle="Webhooks send events to your receiver when imports, deletions and audience loads end."
      actions={<Button onClick={() => setCreating(true)}>New webhook</Button>}
    >
      <ProblemNote problem={webhooks.problem} />
      {webhooks.data && (
        <Panel>
          {webhooks.data.length === 0 ? (
            <EmptyState title="No webhooks">
              <p>Create a webhook to get an event when a job ends, instead of polling.</p>
            </EmptyState>
          ) : (
            <DataTable
              label="Webhooks"
              className="card-rows"
              rows={webhooks.data}
              keyOf={({ webhook_id }) => webhook_id}
              columns={[
                {
                  label: 'URL',
                  className: 'wide',
                  cell: ({ webhook_id, url }) => (
                    <Link href={`/console/webhooks/${webhook_id}`} className="webhook-url">
                      {url}
                    </Link>
                  ),
                },
                {
                  label: 'Note',
                  className: 'wide',
                  isCardLabelled: true,
                  cell: ({ description }) =>
                    description === '' ? (
                      <span className="muted">none</span>
                    ) : (
                      <bdi>{description}</bdi>
                    ),
                },
                {
                  label: 'Events',
                  isCardLabelled: true,
                  cell: ({ events }) => (events === null ? 'all' : events.join(', ')),
                },
                { label: 'State', cell: (webhook) => <StateBadge {...conditionOf(webhook)} /> },
                { ...timeColumn('Created', 'created_at'), isCardLabelled: true },
              ]}
            />
          )}
        </Panel>
      )}
      {isCreating && (
        <NewWebhookDialog onCreated={webhooks.reload} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
}
