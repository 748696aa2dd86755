import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { ListTable } from './list-table.tsx';
import type { SigningKey } from './wire.ts';

const keysPath = '/admin/v1/oauth-keys';

/** What the authorization server signs with. */
export function SigningKeysPanel() {
  const api = useApi();
  const keys = useAnswer(() => answerOf(api.GET(keysPath)), []);
  const [isAsking, setAsking] = useState(false);

  async function rotate(): Promise<void> {
    await answerOf(api.POST(keysPath));
    keys.reload();
  }

  return (
    <Panel title="Signing keys" actions={<Button onClick={() => setAsking(true)}>Rotate</Button>}>
      <p className="operator-lead muted">
        With these the authorization server signs. Rotating makes a new one; the one before still
        verifies what it has signed, so that nothing breaks off.
      </p>
      <ProblemNote problem={keys.problem} />
      {keys.data?.length === 0 && (
        <EmptyState title="No keys yet">
          <p>The first one is made when an app first asks for something.</p>
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} />}
      {isAsking && (
        <ConfirmDialog
          title="Rotate the signing keys?"
          confirmLabel="Rotate"
          kind="primary"
          onConfirm={rotate}
          onClose={() => setAsking(false)}
        >
          <p>
            A new key is made, with which every process signs within a minute. The one before
            verifies what it has signed for another hour. Tokens stay valid.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function KeyTable({ keys }: { readonly keys: readonly SigningKey[] }) {
  return (
    <ListTable
      caption="Signing keys"
      columns={['Key', { label: 'Created', isWide: true }, 'State']}
    >
      {keys.map(({ kid, created_at, retired_at }) => (
        <tr key={kid}>
          <th scope="row" className="operator-name">
            <code>{kid}</code>
          </th>
          <td className="operator-wide">
            <Moment at={created_at} />
          </td>
          <td>
            {retired_at === null ? (
              <StateBadge state="done" word="In use" />
            ) : (
              <>
                <StateBadge state="cancelled" word="Verifies only" />{' '}
                <span className="muted operator-wide">
                  replaced <Moment at={retired_at} />
                </span>
              </>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}
