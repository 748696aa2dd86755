import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import { type Issued, IssuedTable } from './issued-table.tsx';
import { useFocus } from './use-focus.ts';

const keysPath = '/admin/v1/partners/{partner_id}/api-keys';

/** With these the partner calls the API, and signs in here. */
export function ApiKeysPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const keys = useAnswer(() => answerOf(api.GET(keysPath, { params: { path } })), [partnerId]);
  const [open, setOpen] = useState<'new' | Issued>();
  const close = () => setOpen(undefined);

  async function revoke({ id }: Issued): Promise<void> {
    const params = { path: { ...path, api_key_id: id } };
    await answerOf(api.DELETE(`${keysPath}/{api_key_id}`, { params }));
    keys.reload();
  }

  const issued = keys.data?.map((key) => ({
    id: String(key.api_key_id),
    name: key.label === '' ? `Key ${key.api_key_id}` : key.label,
    createdAt: key.created_at,
    lastUsedAt: key.last_used_at,
    revokedAt: key.revoked_at,
  }));
  return (
    <Panel title="API keys" actions={<Button onClick={() => setOpen('new')}>New key</Button>}>
      <ProblemNote problem={keys.problem} />
      {issued?.length === 0 && (
        <EmptyState title="No keys yet">
          <p>Without one the partner can neither call the API nor sign in.</p>
          <CopyCommand command={`tributary key create ${partnerId} --label production`} />
        </EmptyState>
      )}
      {issued && issued.length > 0 && (
        <IssuedTable what="API keys" nameHeading="Label" issued={issued} onRevoke={setOpen} />
      )}
      {open === 'new' && (
        <NewApiKeyDialog partnerId={partnerId} onIssued={keys.reload} onClose={close} />
      )}
      {open !== undefined && open !== 'new' && (
        <ConfirmDialog
          title="Revoke this key?"
          confirmLabel="Revoke the key"
          onConfirm={() => revoke(open)}
          onClose={close}
        >
          <p>
            Whatever still uses <bdi>{open.name}</bdi> is refused from its next request on, and
            whoever signed in with it is signed out. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

interface NewApiKeyDialogProps {
  readonly partnerId: string;
  onIssued(): void;
  onClose(): void;
}

function NewApiKeyDialog({ partnerId, onIssued, onClose }: NewApiKeyDialogProps) {
  const api = useApi();
  const [label, setLabel] = useState('');
  const field = useFocus<HTMLInputElement>();

  function issue() {
    const params = { path: { partner_id: partnerId } };
    const body = label.trim() === '' ? {} : { label: label.trim() };
    return answerOf(api.POST(keysPath, { params, body }));
  }

  return (
    <IssueDialog
      title="New API key"
      issueLabel="Create the key"
      issue={issue}
      shown={({ api_key }) => <ShownOnce label="API key" value={api_key} />}
      onIssued={onIssued}
      onClose={onClose}
    >
      <TextField
        ref={field}
        label="Label"
        hint="To tell the keys of a partner apart. May be left empty."
        maxLength={255}
        autoComplete="off"
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
    </IssueDialog>
  );
}
