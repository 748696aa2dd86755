import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { CopyableCode } from '../../parts/copyable-code.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { AppFields, bodyOf, draftFields, draftOf } from './app-fields.tsx';
import { kindWords } from './app-kinds.ts';
import { DialogForm } from './dialog-form.tsx';
import { IssueDialog } from './issue-dialog.tsx';
import type { AppKind, Apps } from './use-apps.ts';
import type { App } from './wire.ts';

interface NewAppDialogProps {
  readonly apps: Apps;
  onClose(): void;
}

export function NewAppDialog({ apps, onClose }: NewAppDialogProps) {
  const [draft, setDraft] = useState({ name: '', addresses: '' });
  const [kind, setKind] = useState<AppKind>('confidential');
  return (
    <IssueDialog
      title="New app"
      issueLabel="Register the app"
      fields={draftFields}
      issue={() => apps.register({ ...bodyOf(draft), kind })}
      shown={({ client_id, client_secret }) => (
        <>
          <div>
            <p className="shown-once-label">Client ID</p>
            <CopyableCode text={client_id} what="the client ID" />
          </div>
          {client_secret === null ? (
            <p>A public app has no secret.</p>
          ) : (
            <ShownOnce label="Client secret" value={client_secret} />
          )}
        </>
      )}
      onIssued={apps.reload}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <AppFields draft={draft} problem={problem} onDraft={setDraft} />
          <SelectField
            label="Kind"
            hint={`${kindWords[kind].meaning} The kind cannot be changed later.`}
            value={kind}
            onChange={(event) => setKind(event.target.value as AppKind)}
          >
            {Object.entries(kindWords).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
        </>
      )}
    </IssueDialog>
  );
}

interface AppDialogProps extends NewAppDialogProps {
  readonly app: App;
}

export function ChangeAppDialog({ apps, app, onClose }: AppDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(app));
  const changing = useAction(() => apps.change(app, bodyOf(draft)));
  return (
    <Dialog title="Change this app" onClose={onClose}>
      <DialogForm
        submitLabel="Change the app"
        submitting={changing}
        fields={draftFields}
        onSubmit={async () => {
          if (await changing.run()) onClose();
        }}
        onClose={onClose}
      >
        {(problem) => <AppFields draft={draft} problem={problem} onDraft={setDraft} />}
      </DialogForm>
    </Dialog>
  );
}

export function NewSecretDialog({ apps, app, onClose }: AppDialogProps) {
  return (
    <IssueDialog
      title="New client secret"
      issueLabel="Replace the secret"
      issue={() => apps.renewSecret(app)}
      shown={({ client_secret }) => <ShownOnce label="Client secret" value={client_secret} />}
      onIssued={apps.reload}
      onClose={onClose}
    >
      <p>
        The current secret of <bdi>{app.name}</bdi> stops working at once. Until the app has the new
        one, users cannot connect and tokens cannot be renewed. Issued tokens stay valid.
      </p>
    </IssueDialog>
  );
}
