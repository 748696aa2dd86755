import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useLive } from '../../api/use-live.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { IssueDialog } from '../operator/issue-dialog.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import './webhooks.css';
import { conditionOf, type DeliveryWire } from './wire.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A partner's webhook with its deliveries, which are updated live. */
export function WebhookPage() {
  const { webhookId = '' } = useParams<{ webhookId: string }>();
  const params = { path: { webhook_id: webhookId } };
  const api = useApi();
  const [, navigate] = useLocation();
  const webhook = useAnswer(
    () => answerOf(api.GET('/v1/webhooks/{webhook_id}', { params })),
    [api, webhookId],
  );
  const live = useLive<{ deliveries: DeliveryWire[] }>(
    `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries`,
    'deliveries',
  );
  const [open, setOpen] = useState<'secret' | 'remove' | 'replay'>();
  const close = () => setOpen(undefined);
  const testing = useAction(() => answerOf(api.POST('/v1/webhooks/{webhook_id}/test', { params })));
  const replaying = useAction((body: { event_id: string } | { since: string }) =>
    answerOf(api.POST('/v1/webhooks/{webhook_id}/replay', { params, body })),
  );
  const switching = useAction(async (disabled: boolean) => {
    await answerOf(api.PATCH('/v1/webhooks/{webhook_id}', { params, body: { disabled } }));
    webhook.reload();
  });
  const back = <ButtonLink href="/console/webhooks">All webhooks</ButtonLink>;
  const { data } = webhook;
  if (data === undefined) {
    return (
      <Page title="Webhook" actions={back}>
        <ProblemNote problem={webhook.problem} />
      </Page>
    );
  }

  const isDisabled = data.disabled_at !== null;
  return (
    <Page
      title="Webhook"
      subtitle={<span className="webhook-url">{data.url}</span>}
      actions={
        <>
          {back}
          <Button
            kind="primary"
            disabled={isDisabled || testing.isRunning}
            onClick={() => void testing.run()}
          >
            Send a test
          </Button>
        </>
      }
    >
      <ProblemNote problem={testing.problem ?? replaying.problem ?? switching.problem} />
      <Panel
        title="State"
        actions={
          <>
            <Button onClick={() => setOpen('secret')}>New secret</Button>
            {data.disabled_by !== 'operator' && (
              <Button
                disabled={switching.isRunning}
                onClick={() => void switching.run(!isDisabled)}
              >
                {isDisabled ? 'Enable' : 'Disable'}
              </Button>
            )}
            <Button kind="danger" onClick={() => setOpen('remove')}>
              Remove
            </Button>
          </>
        }
      >
        <p>
          <StateBadge {...conditionOf(data)} />
        </p>
        {isDisabled && <p className="muted">Events wait for up to 7 days, until it is enabled.</p>}
        {data.description !== '' && (
          <p>
            <bdi>{data.description}</bdi>
          </p>
        )}
        <p className="muted">Events: {data.events === null ? 'all' : data.events.join(', ')}</p>
      </Panel>
      <Panel
        title="Deliveries"
        actions={
          <Button disabled={isDisabled} onClick={() => setOpen('replay')}>
            Replay the last day
          </Button>
        }
      >
        <ProblemNote problem={live.problem} />
        {live.data && (
          <DeliveryTable
            deliveries={live.data.deliveries}
            actions={({ event_id, type }) => (
              <Button
                disabled={isDisabled || replaying.isRunning}
                aria-label={`Replay ${type}`}
                onClick={() => void replaying.run({ event_id })}
              >
                Replay
              </Button>
            )}
          />
        )}
      </Panel>
      {open === 'secret' && (
        <IssueDialog
          title="New secret"
          issueLabel="Create the secret"
          issue={() =>
            answerOf(api.POST('/v1/webhooks/{webhook_id}/secret', { params, body: null }))
          }
          shown={({ secret }) => <ShownOnce label="Secret" value={secret} />}
          onIssued={webhook.reload}
          onClose={close}
        >
          <p>
            For 24 hours, events are signed with the new secret and with the current one. Replace
            the secret in your receiver within that time.
          </p>
        </IssueDialog>
      )}
      {open === 'replay' && (
        <ConfirmDialog
          title="Send all events of the last day again?"
          confirmLabel="Replay"
          onConfirm={async () => {
            const since = new Date(Date.now() - dayMs).toISOString();
            const body = { since };
            await answerOf(api.POST('/v1/webhooks/{webhook_id}/replay', { params, body }));
          }}
          onClose={close}
        >
          <p>The events keep their IDs, so your receiver can ignore duplicates.</p>
        </ConfirmDialog>
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title="Remove this webhook?"
          confirmLabel="Remove the webhook"
          onConfirm={async () => {
            await answerOf(api.DELETE('/v1/webhooks/{webhook_id}', { params }));
            navigate('/console/webhooks');
          }}
          onClose={close}
        >
          <p>Pending events are not sent. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
