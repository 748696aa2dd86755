import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { TextField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import { environmentLines, profileLines, type StorageAccess, uploadLine } from './storage-lines.ts';

export interface NewStorageCredentialsDialogProps {
  readonly partnerId: string;
  onIssued(): void;
  onClose(): void;
}

export function NewStorageCredentialsDialog(props: NewStorageCredentialsDialogProps) {
  const { partnerId, onIssued, onClose } = props;
  const api = useApi();
  const [accessKeyId, setAccessKeyId] = useState('');
  const [secretAccessKey, setSecretAccessKey] = useState('');

  function issue(): Promise<StorageAccess> {
    return answerOf(
      api.POST('/admin/v1/partners/{partner_id}/storage-credentials', {
        params: { path: { partner_id: partnerId } },
        body: {
          ...(accessKeyId === '' ? {} : { accessKeyId }),
          ...(secretAccessKey === '' ? {} : { secretAccessKey }),
        },
      }),
    );
  }

  return (
    <IssueDialog
      title="New storage credentials"
      issueLabel="Create the credentials"
      issue={issue}
      shown={(access) => <ShownAccess access={access} />}
      onIssued={onIssued}
      onClose={onClose}
    >
      <p>They work with any S3 client, and only under the partner’s own prefix.</p>
      <details className="operator-elsewhere">
        <summary>The shared bucket is in another object store</summary>
        <p className="muted">
          Create a key pair there that is restricted to the prefix, and enter it here.
        </p>
        <TextField
          label="Access key ID"
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          value={accessKeyId}
          onChange={(event) => setAccessKeyId(event.target.value.trim())}
        />
        <TextField
          label="Secret access key"
          type="password"
          maxLength={256}
          autoComplete="new-password"
          value={secretAccessKey}
          onChange={(event) => setSecretAccessKey(event.target.value.trim())}
        />
      </details>
    </IssueDialog>
  );
}

function ShownAccess({ access }: { readonly access: StorageAccess }) {
  return (
    <>
      <ShownOnce label="Secret access key" value={access.secretAccessKey} />
      <h3>In a shell</h3>
      <CopyCommand command={`${environmentLines(access)}\n${uploadLine(access, 'shell')}`} />
      <h3>Or permanently, as a profile</h3>
      <CopyCommand command={`${profileLines(access)}\n${uploadLine(access, 'profile')}`} />
    </>
  );
}
