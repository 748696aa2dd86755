import { useId, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { DialogForm } from '../operator/dialog-form.tsx';
import { faultsOf, identifiersIn, type PrivacyRequest } from './privacy-request.ts';

interface NewRequestDialogProps {
  onCreated(request: PrivacyRequest): void;
  onClose(): void;
}

const meanings: Readonly<Record<PrivacyRequest['kind'], string>> = {
  delete: 'Removes the devices from everything stored, and keeps them out. This cannot be undone.',
  opt_out: 'Does the same as delete, because everything stored is shared with customers.',
  access: 'Lists the attributes and audiences that hold the devices. Nothing is changed.',
};

export function NewRequestDialog({ onCreated, onClose }: NewRequestDialogProps) {
  const api = useApi();
  const [kind, setKind] = useState<PrivacyRequest['kind']>('delete');
  const [reference, setReference] = useState('');
  const [text, setText] = useState('');
  const creating = useAction(async () => {
    const body = { kind, reference, identifiers: identifiersIn(text) };
    onCreated(await answerOf(api.POST('/admin/v1/privacy/requests', { body })));
  });
  return (
    <Dialog title="New privacy request" onClose={onClose}>
      <DialogForm
        submitLabel="Send the request"
        submitting={creating}
        onSubmit={() => void creating.run()}
        onClose={onClose}
      >
        <SelectField
          label="Kind"
          hint={meanings[kind]}
          value={kind}
          onChange={(event) => setKind(event.target.value as PrivacyRequest['kind'])}
        >
          <option value="delete">Delete</option>
          <option value="opt_out">Opt out</option>
          <option value="access">Access</option>
        </SelectField>
        <TextField
          label="Reference"
          hint="Your own name for it, such as a case number. It is kept for good: use no personal data."
          maxLength={255}
          autoComplete="off"
          value={reference}
          onChange={(event) => setReference(event.target.value)}
        />
        <IdentifiersField
          text={text}
          onText={setText}
          faults={faultsOf(creating.problem?.errors ?? [])}
        />
      </DialogForm>
    </Dialog>
  );
}

interface IdentifiersFieldProps {
  readonly text: string;
  readonly faults: readonly string[];
  onText(text: string): void;
}

function IdentifiersField({ text, faults, onText }: IdentifiersFieldProps) {
  const id = useId();
  const isFaulty = faults.length > 0;
  return (
    <div className="field">
      <label htmlFor={id}>Identifiers</label>
      <textarea
        id={id}
        rows={5}
        wrap="off"
        required
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={isFaulty ? `${id}-hint ${id}-problem` : `${id}-hint`}
        aria-invalid={isFaulty}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <p className="field-hint" id={`${id}-hint`}>
        Up to 10,000, one per line: UUIDs in any spelling, or SHA-256 digests in Base64 or
        hexadecimal.
      </p>
      {isFaulty && (
        <div className="field-problem" id={`${id}-problem`} role="alert">
          {faults.map((fault) => (
            <p key={fault}>{fault}</p>
          ))}
        </div>
      )}
    </div>
  );
}
