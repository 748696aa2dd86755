import { useState } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useFocus } from './use-focus.ts';

export interface NameDialogProps {
  readonly title: string;
  readonly hint: string;
  onName(name: string): Promise<unknown>;
  onClose(): void;
}

/** Asks for the name of something new. */
export function NameDialog({ title, hint, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState('');
  const field = useFocus<HTMLInputElement>();
  const creating = useAction(() => onName(name.trim()));
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void creating.run();
        }}
      >
        <div className="dialog-body">
          <TextField
            ref={field}
            label="Name"
            hint={hint}
            required
            pattern=".*\S.*"
            maxLength={255}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <ProblemNote problem={creating.problem} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={creating.isRunning}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
