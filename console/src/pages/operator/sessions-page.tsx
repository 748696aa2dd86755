import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { AdminTokenPanel } from './admin-token-panel.tsx';
import './operator.css';
import { SessionTable } from './session-table.tsx';
import type { SignedIn } from './wire.ts';

export function SessionsPage() {
  const api = useApi();
  const sessions = useAnswer(() => answerOf(api.GET('/admin/v1/sessions')), []);
  const [revoked, setRevoked] = useState<SignedIn>();

  async function revoke({ session_id }: SignedIn): Promise<void> {
    const params = { path: { session_id: String(session_id) } };
    await answerOf(api.DELETE('/admin/v1/sessions/{session_id}', { params }));
    sessions.reload();
  }

  return (
    <Page
      title="Sessions"
      subtitle="Everyone who is signed in to this console."
      actions={
        <Button disabled={sessions.isWaiting} onClick={sessions.reload}>
          Refresh
        </Button>
      }
    >
      <ProblemNote problem={sessions.problem} />
      {sessions.data && (
        <Panel>
          <SessionTable sessions={sessions.data} onRevoke={setRevoked} />
        </Panel>
      )}
      <AdminTokenPanel onRotated={sessions.reload} />
      {revoked && (
        <ConfirmDialog
          title="End this session?"
          confirmLabel="End the session"
          onConfirm={() => revoke(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          <p>
            {revoked.is_current ? (
              'This is your own session. You will have to sign in again.'
            ) : (
              <>
                <bdi>{revoked.name}</bdi> is signed out in that browser. To block access, revoke the
                key or disable the user.
              </>
            )}
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
