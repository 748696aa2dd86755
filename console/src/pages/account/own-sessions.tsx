import { type Ref, useEffect, useRef, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import type { ListedSession } from '../../api/wire.ts';
import { browserName } from '../../parts/browser-name.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TableScroll } from '../../parts/table-scroll.tsx';

/** Where else the same user, key or token is signed in. */
export function OwnSessions() {
  const api = useApi();
  const { kind } = useSession();
  const sessions = useAnswer(() => answerOf(api.GET('/v1/console/sessions')), [api]);
  const [asked, setAsked] = useState<ListedSession | 'others'>();
  const table = useRef<HTMLElement>(null);
  const hasEnded = useRef(false);
  const hasOthers = sessions.data?.some(({ is_current }) => !is_current) ?? false;

  async function end(): Promise<void> {
    if (asked === undefined) return;
    if (asked === 'others') {
      await answerOf(api.DELETE('/v1/console/sessions'));
    } else {
      const path = { session_id: String(asked.session_id) };
      await answerOf(api.DELETE('/v1/console/sessions/{session_id}', { params: { path } }));
    }
    hasEnded.current = true;
    sessions.reload();
  }

  // The button that had the focus may have gone with its row, or be of no more use.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the list that has arrived.
  useEffect(() => {
    if (hasEnded.current) table.current?.focus();
    hasEnded.current = false;
  }, [sessions.data]);

  return (
    <Panel
      title="Where you are signed in"
      actions={
        <Button disabled={!hasOthers} onClick={() => setAsked('others')}>
          Sign out everywhere else
        </Button>
      }
    >
      <ProblemNote problem={sessions.problem} />
      {sessions.data && <SessionTable ref={table} sessions={sessions.data} onEnd={setAsked} />}
      {asked !== undefined && (
        <ConfirmDialog
          title={asked === 'others' ? 'Sign out everywhere else?' : 'End this session?'}
          confirmLabel={asked === 'others' ? 'Sign out elsewhere' : 'End session'}
          onConfirm={end}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === 'others'
              ? `Whoever uses ${sharedSecret[kind]} elsewhere must sign in again.`
              : `${browserName(asked.user_agent)} at ${asked.remote_address} must sign in again.`}
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

interface SessionTableProps {
  readonly ref: Ref<HTMLElement>;
  readonly sessions: readonly ListedSession[];
  onEnd(session: ListedSession): void;
}

function SessionTable({ ref, sessions, onEnd }: SessionTableProps) {
  return (
    <TableScroll label="Sessions" ref={ref}>
      <table className="data">
        <thead>
          <tr>
            <th scope="col">Browser</th>
            <th scope="col">Address</th>
            <th scope="col">Signed in</th>
            <th scope="col">Last used</th>
            <th scope="col">Ends</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.session_id}>
              <th scope="row" title={session.user_agent}>
                {browserName(session.user_agent)}
              </th>
              <td>{session.remote_address}</td>
              <td>
                <Moment at={session.created_at} />
              </td>
              <td>
                <Moment at={session.last_used_at} />
              </td>
              <td>
                <Moment at={session.expires_at} />
              </td>
              <td className="num">
                {session.is_current ? (
                  <span className="muted">This one</span>
                ) : (
                  <Button
                    kind="danger"
                    aria-label={`End the session of ${browserName(session.user_agent)} at ${session.remote_address}`}
                    onClick={() => onEnd(session)}
                  >
                    End
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}
