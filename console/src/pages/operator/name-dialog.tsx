import { useState } from 'react';
import { fieldProblem } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from './dialog-form.tsx';
import { NameField } from './name-field.tsx';

export interface NameDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly submitLabel: string;
  /** The present name; empty for something new. */
  readonly initial?: string;
  onName(name: string): Promise<unknown>;
  onClose(): void;
}

/** Asks for a name. */
export function NameDialog(props: NameDialogProps) {
  const { title, hint, submitLabel, initial = '', onName, onClose } = props;
  const [name, setName] = useState(initial);
  const naming = useAction(() => onName(name.trim()));
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        submitLabel={submitLabel}
        submitting={naming}
        onSubmit={() => void naming.run()}
        fields={['name']}
        onClose={onClose}
      >
        {(problem) => (
          <NameField
            hint={hint}
            problem={fieldProblem(problem, 'name')}
            name={name}
            onName={setName}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
