import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from './dialog-form.tsx';
import { NameField } from './name-field.tsx';

export interface NameDialogProps {
  readonly title: string;
  readonly hint: string;
  onName(name: string): Promise<unknown>;
  onClose(): void;
}

/** Asks for the name of something new. */
export function NameDialog({ title, hint, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState('');
  const creating = useAction(() => onName(name.trim()));
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        submitLabel="Create"
        submitting={creating}
        onSubmit={() => void creating.run()}
        onClose={onClose}
      >
        <NameField hint={hint} name={name} onName={setName} />
      </DialogForm>
    </Dialog>
  );
}
