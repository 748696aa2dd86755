import { type Ref, useEffect, useRef, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { OwnGrant } from '../../api/wire.ts';
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
  const grants = useAnswer(() => answerOf(api.GET('/v1/console/grants')), [api]);
  const [asked, setAsked] = useState<OwnGrant>();
  const list = useRef<HTMLElement>(null);
  const hasStopped = useRef(false);

  async function stop({ grant_id }: OwnGrant): Promise<void> {
    const params = { path: { grant_id: String(grant_id) } };
    await answerOf(api.DELETE('/v1/console/grants/{grant_id}', { params }));
    hasStopped.current = true;
    grants.reload();
  }

  // The button that had the focus has gone with its row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the list that has arrived.
  useEffect(() => {
    if (hasStopped.current) list.current?.focus();
    hasStopped.current = false;
  }, [grants.data]);

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
      <ProblemNote problem={grants.problem} />
      {grants.data && (
        <Panel>
          {grants.data.length === 0 ? (
            <NoApps ref={list} />
          ) : (
            <AppsTable ref={list} grants={grants.data} onStop={setAsked} />
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
