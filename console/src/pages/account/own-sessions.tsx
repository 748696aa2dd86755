import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { ListedSession } from '../../api/wire.ts';
import { browserName } from '../../parts/browser-name.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useListFocus } from '../../parts/use-list-focus.ts';

/** The sessions of the same user, key or token. */
export function OwnSessions() {
  const api = useApi();
  const { kind } = useSession();
  const sessions = useAnswer(() => answerOf(api.GET('/v1/console/sessions')), [api]);
  const [toEnd, setToEnd] = useState<ListedSession | 'others'>();
  const { list, expectRemoval } = useListFocus(sessions.data);
  const hasOthers = sessions.data?.some(({ is_current }) => !is_current) ?? false;

  async function end(): Promise<void> {
    if (toEnd === undefined) return;
    if (toEnd === 'others') {
      await answerOf(api.DELETE('/v1/console/sessions'));
    } else {
      const path = { session_id: String(toEnd.session_id) };
      await answerOf(api.DELETE('/v1/console/sessions/{session_id}', { params: { path } }));
    }
    expectRemoval();
    sessions.reload();
  }

  return (
    <Panel
      title="Where you are signed in"
      actions={
        <Button disabled={!hasOthers} onClick={() => setToEnd('others')}>
          Sign out everywhere else
        </Button>
      }
    >
      <ProblemNote problem={sessions.problem} />
      {sessions.data && (
        <DataTable
          label="Sessions"
          ref={list}
          className="card-rows"
          rows={sessions.data}
          keyOf={({ session_id }) => session_id}
          columns={[
            {
              label: 'Browser',
              className: 'wide',
              cell: ({ user_agent }) => <span title={user_agent}>{browserName(user_agent)}</span>,
            },
            {
              label: 'Address',
              isCardLabelled: true,
              cell: ({ remote_address }) => remote_address,
            },
            { ...timeColumn('Signed in', 'created_at'), isCardLabelled: true },
            { ...timeColumn('Last used', 'last_used_at'), isCardLabelled: true },
            { ...timeColumn('Expires', 'expires_at'), isCardLabelled: true },
          ]}
          actions={(session) =>
            session.is_current ? (
              <span className="muted">This session</span>
            ) : (
              <Button
                kind="danger"
                aria-label={`End the session of ${browserName(session.user_agent)} at ${session.remote_address}`}
                onClick={() => setToEnd(session)}
              >
                End
              </Button>
            )
          }
        />
      )}
      {toEnd !== undefined && (
        <ConfirmDialog
          title={toEnd === 'others' ? 'Sign out everywhere else?' : 'End this session?'}
          confirmLabel={toEnd === 'others' ? 'Sign out elsewhere' : 'End session'}
          onConfirm={end}
          onClose={() => setToEnd(undefined)}
        >
          <p>
            {toEnd === 'others'
              ? `All other sessions with ${sharedSecret[kind]} must sign in again.`
              : `${browserName(toEnd.user_agent)} at ${toEnd.remote_address} must sign in again.`}
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

const sharedSecret = {
  customer: 'your account',
  partner: 'this API key',
  operator: 'the admin token',
};
