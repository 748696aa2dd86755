import { type Ref, useEffect, useRef, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { ConnectedApp } from '../../api/wire.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import './apps.css';
import { AppsTable, listLabel } from './apps-table.tsx';

/** The apps that whoever is signed in has let act for them. */
export function AppsPage() {
  const api = useApi();
  const { customer_name } = useSession();
  const apps = useAnswer(() => answerOf(api.GET('/v1/console/apps')), [api]);
  const [asked, setAsked] = useState<ConnectedApp>();
  const list = useRef<HTMLElement>(null);
  const hasStopped = useRef(false);

  async function stop({ client_id }: ConnectedApp): Promise<void> {
    await answerOf(api.DELETE('/v1/console/apps/{client_id}', { params: { path: { client_id } } }));
    hasStopped.current = true;
    apps.reload();
  }

  // The button that had the focus has gone with its row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the list that has arrived.
  useEffect(() => {
    if (hasStopped.current) list.current?.focus();
    hasStopped.current = false;
  }, [apps.data]);

  return (
    <Page
      title="Connected apps"
      subtitle={
        <>
          Apps of partners that you let act on behalf of <bdi>{customer_name}</bdi>. Stop one, and
          it is refused from then on.
        </>
      }
    >
      <ProblemNote problem={apps.problem} />
      {apps.data && (
        <Panel>
          {apps.data.length === 0 ? (
            <NoApps ref={list} />
          ) : (
            <AppsTable ref={list} apps={apps.data} onStop={setAsked} />
          )}
        </Panel>
      )}
      {asked && (
        <ConfirmDialog
          title="Stop this app?"
          confirmLabel="Stop the app"
          onConfirm={() => stop(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p className="apps-who">
            <bdi className="apps-name">{asked.app_name}</bdi> of <bdi>{asked.partner_name}</bdi>
          </p>
          <p>
            {asked.grants > 1 && `You have let it in ${asked.grants} times, and all of that ends. `}
            It can no longer act for you. The audiences that it has loaded stay as they are. To let
            it in again, begin in the app.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function NoApps({ ref }: { readonly ref: Ref<HTMLElement> }) {
  return (
    <section ref={ref} aria-label={listLabel} tabIndex={-1}>
      <EmptyState title="No app acts for you">
        <p>
          When an app of a partner asks to load audiences for you, it sends you here to allow it.
          From then on it stands in this list, and you can stop it at any time.
        </p>
      </EmptyState>
    </section>
  );
}
