import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable, timeColumn } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { SigningKey } from './wire.ts';

const keysPath = '/admin/v1/oauth-keys';

export function SigningKeysPanel() {
  const api = useApi();
  const keys = useAnswer(() => answerOf(api.GET(keysPath)), []);
  const [isConfirming, setConfirming] = useState(false);

  async function rotate(): Promise<void> {
    await answerOf(api.POST(keysPath));
    keys.reload();
  }

  return (
    <Panel
      title="Signing keys"
      actions={<Button onClick={() => setConfirming(true)}>Rotate</Button>}
    >
      <p className="operator-lead muted">
        The authorization server signs with the newest key. After a rotation the previous key still
        verifies what it signed, so apps keep working.
      </p>
      <ProblemNote problem={keys.problem} />
      {keys.data?.length === 0 && (
        <EmptyState title="No keys yet">
          <p>The first key is created when an app sends its first request.</p>
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && <KeyTable keys={keys.data} />}
      {isConfirming && (
        <ConfirmDialog
          title="Rotate the signing keys?"
          confirmLabel="Rotate"
          kind="primary"
          onConfirm={rotate}
          onClose={() => setConfirming(false)}
        >
          <p>
            A new key is created, and every process signs with it within a minute. The previous key
            verifies what it signed for another hour. Tokens stay valid.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function KeyTable({ keys }: { readonly keys: readonly SigningKey[] }) {
  return (
    <DataTable
      label="Table of signing keys"
      rows={keys}
      keyOf={({ kid }) => kid}
      columns={[
        { label: 'Key', className: 'operator-name', cell: ({ kid }) => <code>{kid}</code> },
        timeColumn('Created', 'created_at', 'wide-only'),
        { label: 'State', cell: ({ retired_at }) => <KeyState retiredAt={retired_at} /> },
      ]}
    />
  );
}

function KeyState({ retiredAt }: { readonly retiredAt: string | null }) {
  if (retiredAt === null) return <StateBadge state="done" word="In use" />;
  return (
    <>
      <StateBadge state="cancelled" word="Verifies only" />{' '}
      <span className="muted wide-only">
        replaced <Moment at={retiredAt} />
      </span>
    </>
  );
}
