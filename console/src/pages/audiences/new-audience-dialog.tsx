import { type FormEvent, useState } from 'react';
import { answerOf, fieldProblem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { audienceAddress } from '../imports/jobs.ts';
import { PathField, pathProblem } from '../imports/path-field.tsx';
import { CustomerChoice } from './customer-choice.tsx';

interface NewAudienceDialogProps {
  readonly path?: string;
  onCreated(address: string): void;
  onClose(): void;
}

/** Asks for a name, a path and a customer, and creates the audience. */
export function NewAudienceDialog({ path = '', onCreated, onClose }: NewAudienceDialogProps) {
  const api = useApi();
  const [name, setName] = useState('');
  const [filePath, setFilePath] = useState(path);
  const [customerId, setCustomerId] = useState<number>();

  const creation = useAction(async () => {
    const audience = { name, file_path: filePath };
    const { audience_id } = await answerOf(
      customerId === undefined
        ? api.POST('/v2/firstparty/audience', { body: audience })
        : api.POST('/v1/console/audiences', { body: { ...audience, customer_id: customerId } }),
    );
    onClose();
    onCreated(audienceAddress(audience_id));
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void creation.run();
  }

  const nameProblem = fieldProblem(creation.problem, 'name');
  const pathError = pathProblem(creation.problem);
  return (
    <Dialog title="New audience" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <TextField
          label="Name"
          value={name}
          problem={nameProblem}
          required
          maxLength={255}
          autoComplete="off"
          dir="auto"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PathField value={filePath} problem={pathError} onChange={setFilePath} />
        <CustomerChoice value={customerId} onChange={setCustomerId} />
        <ProblemNote
          problem={creation.problem}
          isAtField={nameProblem !== undefined || pathError !== undefined}
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={creation.isRunning}>
            Create and load
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
