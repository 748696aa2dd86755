import { type FormEvent, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { importAddress } from './jobs.ts';
import { PathField, pathProblem } from './path-field.tsx';

interface NewImportDialogProps {
  readonly path?: string;
  onQueued(address: string): void;
  onClose(): void;
}

/** Asks what is to be imported, queues it, and says where it is told of. */
export function NewImportDialog({ path = '', onQueued, onClose }: NewImportDialogProps) {
  const api = useApi();
  const [filePath, setFilePath] = useState(path);
  const [keyType, setKeyType] = useState<0 | 1>(1);
  const [mode, setMode] = useState<'merge' | 'replace'>('merge');
  const [isDryRun, setDryRun] = useState(false);

  const queueing = useAction(async () => {
    const body = { file_path: filePath, key_type: keyType, mode, dry_run: isDryRun };
    const { import_log_id } = await answerOf(api.POST('/v1/marketplace/import', { body }));
    onClose();
    onQueued(importAddress(import_log_id));
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void queueing.run();
  }

  const wrongPath = pathProblem(queueing.problem);
  return (
    <Dialog title="New import" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <PathField value={filePath} problem={wrongPath} onChange={setFilePath} />
        <SelectField
          label="Keys in the files"
          value={keyType}
          onChange={(event) => setKeyType(event.currentTarget.value === '0' ? 0 : 1)}
        >
          <option value={1}>Your own keys of the attributes</option>
          <option value={0}>Our attribute ids</option>
        </SelectField>
        <SelectField
          label="What happens to the attributes"
          value={mode}
          onChange={(event) =>
            setMode(event.currentTarget.value === 'replace' ? 'replace' : 'merge')
          }
        >
          <option value="merge">Merge: rows are added to them, or removed</option>
          <option value="replace">Replace: afterwards they hold exactly these devices</option>
        </SelectField>
        <label className="check">
          <input
            type="checkbox"
            checked={isDryRun}
            onChange={(event) => setDryRun(event.currentTarget.checked)}
          />
          Dry run: check everything, apply nothing
        </label>
        {wrongPath === undefined && <ProblemNote problem={queueing.problem} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={queueing.isRunning}>
            {isDryRun ? 'Check' : 'Import'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
