import { type Ref, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { ConnectedApp } from '../../api/wire.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useListFocus } from '../../parts/use-list-focus.ts';
import './apps.css';

const listLabel = 'Apps that act for you';

/** The apps that the user allows to act for them. */
export function AppsPage() {
  const api = useApi();
  const { customer_name } = useSession();
  const apps = useAnswer(() => answerOf(api.GET('/v1/console/apps')), [api]);
  const [toStop, setToStop] = useState<ConnectedApp>();
  const { list, expectRemoval } = useListFocus(apps.data);

  async function stop({ client_id }: ConnectedApp): Promise<void> {
    await answerOf(api.DELETE('/v1/console/apps/{client_id}', { params: { path: { client_id } } }));
    expectRemoval();
    apps.reload();
  }

  return (
    <Page
      title="Connected apps"
      subtitle={
        <>
          Partners’ apps that act on behalf of <bdi>{customer_name}</bdi> with your permission. You
          can stop each of them at any time.
        </>
      }
    >
      <ProblemNote problem={apps.problem} />
      {apps.data && (
        <Panel>
          {apps.data.length === 0 ? (
            <NoApps ref={list} />
          ) : (
            <DataTable
              label={listLabel}
              ref={list}
              className="apps-table"
              rows={apps.data}
              keyOf={({ client_id }) => client_id}
              columns={[
                {
                  label: 'App',
                  className: 'apps-cell',
                  cell: ({ app_name }) => <bdi>{app_name}</bdi>,
                },
                {
                  label: 'Partner',
                  className: 'apps-cell',
                  cell: ({ partner_name }) => <bdi>{partner_name}</bdi>,
                },
                timeColumn('Allowed', 'allowed_at'),
                timeColumn('Last used', 'last_used_at'),
                timeColumn('Expires unless renewed', 'expires_at'),
              ]}
              actions={(app) => (
                <Button
                  kind="danger"
                  aria-label={`Stop ${app.app_name}`}
                  onClick={() => setToStop(app)}
                >
                  Stop
                </Button>
              )}
            />
          )}
        </Panel>
      )}
      {toStop && (
        <ConfirmDialog
          title="Stop this app?"
          confirmLabel="Stop the app"
          onConfirm={() => stop(toStop)}
          onClose={() => setToStop(undefined)}
        >
          <p className="apps-who">
            <bdi className="apps-name">{toStop.app_name}</bdi> of <bdi>{toStop.partner_name}</bdi>
          </p>
          <p>
            {toStop.grants > 1 && `You allowed it ${toStop.grants} times; all of these end. `}
            The app can no longer act for you. Audiences that it loaded stay. To allow it again,
            start in the app.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function NoApps({ ref }: { readonly ref: Ref<HTMLElement> }) {
  return (
    <section ref={ref} aria-label={listLabel} tabIndex={-1}>
      <EmptyState title="No connected apps">
        <p>
          When a partner’s app wants to load audiences for you, it sends you here to allow it. It
          then appears in this list, where you can stop it at any time.
        </p>
      </EmptyState>
    </section>
  );
}
