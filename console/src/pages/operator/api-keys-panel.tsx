import { useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { TextField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import { IssuedPanel } from './issued-panel.tsx';
import { useFocus } from './use-focus.ts';

const keysPath = '/admin/v1/partners/{partner_id}/api-keys';

/** The keys with which the partner calls the API and signs in to the console. */
export function ApiKeysPanel({ partnerId }: { readonly partnerId: string }) {
  const api = useApi();
  const path = { partner_id: partnerId };
  const keys = useAnswer(() => answerOf(api.GET(keysPath, { params: { path } })), [partnerId]);
  return (
    <IssuedPanel
      title="API keys"
      things="API keys"
      thing="key"
      nameHeading="Label"
      named={({ name }) => `API key ${name}`}
      issued={keys.data?.map((key) => ({
        id: String(key.api_key_id),
        name: key.label === '' ? `Key ${key.api_key_id}` : key.label,
        createdAt: key.created_at,
        lastUsedAt: key.last_used_at,
        revokedAt: key.revoked_at,
      }))}
      problem={keys.problem}
      whenEmpty="The partner needs a key to call the API and to sign in."
      command={`tributary key create ${partnerId} --label production`}
      warningFor={({ name }) => (
        <>
          Requests with <bdi>{name}</bdi> are refused from now on, and sessions that were opened
          with it end.
        </>
      )}
      revoke={async ({ id }) => {
        const params = { path: { ...path, api_key_id: id } };
        await answerOf(api.DELETE(`${keysPath}/{api_key_id}`, { params }));
        keys.reload();
      }}
      newDialog={(close) => (
        <NewApiKeyDialog partnerId={partnerId} onIssued={keys.reload} onClose={close} />
      )}
    />
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
        hint="Optional. Helps to tell the partner’s keys apart."
        maxLength={255}
        autoComplete="off"
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
    </IssueDialog>
  );
}
