import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type Issued, IssuedTable } from './issued-table.tsx';
import { NewStorageCredentialsDialog } from './new-storage-credentials-dialog.tsx';

const credentialsPath = '/admin/v1/partners/{partner_id}/storage-credentials';

/** With these the partner uploads below its prefix, and nowhere else. */
export function StorageCredentialsPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const credentials = useAnswer(
    () => answerOf(api.GET(credentialsPath, { params: { path } })),
    [partnerId],
  );
  const [open, setOpen] = useState<'new' | Issued>();
  const close = () => setOpen(undefined);

  async function revoke({ id }: Issued): Promise<void> {
    const params = { path: { ...path, access_key_id: id } };
    await answerOf(api.DELETE(`${credentialsPath}/{access_key_id}`, { params }));
    credentials.reload();
  }

  const issued = credentials.data?.map((each) => ({
    id: each.accessKeyId,
    name: each.accessKeyId,
    createdAt: each.created_at,
    lastUsedAt: each.last_used_at,
    revokedAt: each.revoked_at,
  }));
  return (
    <Panel
      title="Storage credentials"
      actions={<Button onClick={() => setOpen('new')}>New credentials</Button>}
    >
      <ProblemNote problem={credentials.problem} />
      {issued?.length === 0 && (
        <EmptyState title="No credentials yet">
          <p>
            The partner needs them to upload with an S3 client. Uploads from the console work
            without.
          </p>
          <CopyCommand command={`tributary storage create ${partnerId}`} />
        </EmptyState>
      )}
      {issued && issued.length > 0 && (
        <IssuedTable
          what="storage credentials"
          nameHeading="Access key id"
          issued={issued}
          isCode
          onRevoke={setOpen}
        />
      )}
      {open === 'new' && (
        <NewStorageCredentialsDialog
          partnerId={partnerId}
          onIssued={credentials.reload}
          onClose={close}
        />
      )}
      {open !== undefined && open !== 'new' && (
        <ConfirmDialog
          title="Revoke these credentials?"
          confirmLabel="Revoke the credentials"
          onConfirm={() => revoke(open)}
          onClose={close}
        >
          <p>
            Uploads with <code>{open.name}</code> are refused from the next request on. What was
            uploaded stays. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
