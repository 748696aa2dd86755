import { useState } from 'react';
import { answerOf, fieldProblem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { TextField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { IssueDialog } from '../operator/issue-dialog.tsx';

interface NewWebhookDialogProps {
  onCreated(): void;
  onClose(): void;
}

export function NewWebhookDialog({ onCreated, onClose }: NewWebhookDialogProps) {
  const api = useApi();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  return (
    <IssueDialog
      title="New webhook"
      issueLabel="Create the webhook"
      fields={['url']}
      issue={() => answerOf(api.POST('/v1/webhooks', { body: { url, description } }))}
      shown={({ secret }) => (
        <>
          <p>Your receiver verifies the signature of each event with this secret.</p>
          <ShownOnce label="Secret" value={secret} />
        </>
      )}
      onIssued={onCreated}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <TextField
            label="URL"
            type="url"
            required
            value={url}
            placeholder="https://"
            hint="The webhook gets events of all types. To choose types, use the API."
            problem={fieldProblem(problem, 'url')}
            onChange={(event) => setUrl(event.target.value)}
          />
          <TextField
            label="Note (optional)"
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </>
      )}
    </IssueDialog>
  );
}
