import './attributes.css';
import { type FormEvent, useState } from 'react';
import { answerOf, type Problem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { counted } from '../../parts/format.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';

const example = `name,description,partnerkey
Autos,,autos
Autos > Intenders,In the market for a car,autos-intenders`;

interface TaxonomyDialogProps {
  onCreated(): void;
  onClose(): void;
}

/** Creates all attributes of a CSV file, or none if one of its lines is invalid. */
export function TaxonomyDialog({ onCreated, onClose }: TaxonomyDialogProps) {
  const api = useApi();
  const [file, setFile] = useState<File>();
  const [created, setCreated] = useState<number>();

  const creation = useAction(async () => {
    if (file === undefined) return;
    const answer = await answerOf(
      api.POST('/v1/marketplace/attribute', {
        headers: { 'content-type': 'text/csv' },
        body: await file.text(),
        bodySerializer: (text) => text,
      }),
    );
    setCreated('attribute_ids' in answer ? answer.attribute_ids.length : 1);
    onCreated();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void creation.run();
  }

  if (created !== undefined) {
    return (
      <Dialog title="Upload a taxonomy" onClose={onClose}>
        <p role="status">{counted(created, 'attribute was', 'attributes were')} created.</p>
        <div className="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Upload a taxonomy" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <TextField
          label="CSV file"
          hint="UTF-8 with this header, at most 1 MiB and 10,000 attributes. Description and key may be empty."
          type="file"
          accept=".csv,text/csv"
          required
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0]);
            creation.forget();
          }}
        />
        <CopyCommand command={example} what="the example" />
        <p>All attributes are created, or none if a line is invalid.</p>
        <ProblemNote problem={creation.problem}>
          <Issues problem={creation.problem} />
        </ProblemNote>
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={creation.isRunning}>
            Create the attributes
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Issues({ problem }: { readonly problem: Problem | undefined }) {
  if (problem?.errors === undefined) return null;
  return (
    <ul className="taxonomy-issues">
      {problem.errors.map(({ pointer, message }) => (
        <li key={`${pointer} ${message}`}>
          {pointer === '' ? 'The file' : pointer} {message}
        </li>
      ))}
    </ul>
  );
}
