import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { countColumn, DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import './webhooks.css';
import { conditionOf, type OperatedWebhook } from './wire.ts';

/** All partners' webhooks. */
export function OperatorWebhooksPage() {
  const api = useApi();
  const webhooks = useAnswer(() => answerOf(api.GET('/admin/v1/webhooks')), [api]);
  const switching = useAction(async ({ webhook_id, disabled_at }: OperatedWebhook) => {
    const params = { path: { webhook_id: String(webhook_id) } };
    const body = { disabled: disabled_at === null };
    await answerOf(api.PATCH('/admin/v1/webhooks/{webhook_id}', { params, body }));
    webhooks.reload();
  });
  return (
    <Page
      title="Webhooks"
      subtitle="Webhooks of all partners. A partner cannot enable a webhook that you disabled."
      actions={
        <Button disabled={webhooks.isWaiting} onClick={webhooks.reload}>
          Refresh
        </Button>
      }
    >
      <ProblemNote problem={webhooks.problem ?? switching.problem} />
      {webhooks.data && (
        <Panel>
          {webhooks.data.length === 0 ? (
            <EmptyState title="No webhooks">
              <p>Partners create webhooks themselves, with the API or in this console.</p>
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
                  cell: ({ url }) => <span className="webhook-url">{url}</span>,
                },
                {
                  label: 'Partner',
                  isCardLabelled: true,
                  cell: ({ partner_name }) => <bdi>{partner_name}</bdi>,
                },
                { label: 'State', cell: (webhook) => <StateBadge {...conditionOf(webhook)} /> },
                countColumn('Waiting', 'pending'),
                { ...timeColumn('Failing since', 'failing_since'), isCardLabelled: true },
              ]}
              actions={(webhook) => (
                <Button
                  aria-label={`${webhook.disabled_at ? 'Enable' : 'Disable'} ${webhook.url}`}
                  disabled={switching.isRunning}
                  onClick={() => void switching.run(webhook)}
                >
                  {webhook.disabled_at ? 'Enable' : 'Disable'}
                </Button>
              )}
            />
          )}
        </Panel>
      )}
    </Page>
  );
}
