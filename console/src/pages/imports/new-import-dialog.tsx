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

/** Asks for a path and options, and queues the import. */
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

  const pathError = pathProblem(queueing.problem);
  return (
    <Dialog title="New import" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <PathField value={filePath} problem={pathError} onChange={setFilePath} />
        <SelectField
          label="Keys in the files"
          value={keyType}
          onChange={(event) => setKeyType(event.currentTarget.value === '0' ? 0 : 1)}
        >
          <option value={1}>Your own keys for attributes</option>
          <option value={0}>Tributary’s attribute IDs</option>
        </SelectField>
        <SelectField
          label="Existing devices of the attributes"
          value={mode}
          onChange={(event) =>
            setMode(event.currentTarget.value === 'replace' ? 'replace' : 'merge')
          }
        >
          <option value="merge">Merge: add or remove the devices in the files</option>
          <option value="replace">Replace: keep only the devices in the files</option>
        </SelectField>
        <label className="check">
          <input
            type="checkbox"
            checked={isDryRun}
            onChange={(event) => setDryRun(event.currentTarget.checked)}
          />
          Dry run: check the files without applying them
        </label>
        {pathError === undefined && <ProblemNote problem={queueing.problem} />}
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
