import { type FormEvent, useState } from 'react';
import { answerOf, fieldProblem } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type ImportRequest, importBody, plainRequest } from './import-body.ts';
import { DryRunField, KeyTypeField, ModeField } from './import-options.tsx';
import { importAddress } from './jobs.ts';
import { OwnBucketFields } from './own-bucket-fields.tsx';
import { PathField, pathProblem } from './path-field.tsx';

interface NewImportDialogProps {
  /** What is already filled in: a path, or the request of an earlier import. */
  readonly initial?: Partial<ImportRequest>;
  onQueued(address: string): void;
  onClose(): void;
}

const noCredentials = { accessKeyId: '', secretAccessKey: '', region: '' };

/** Asks for a path and options, and queues the import. */
export function NewImportDialog({ initial = {}, onQueued, onClose }: NewImportDialogProps) {
  const api = useApi();
  const [request, setRequest] = useState<ImportRequest>({ ...plainRequest, ...initial });
  const [credentials, setCredentials] = useState(noCredentials);
  const change = (members: Partial<ImportRequest>) => setRequest({ ...request, ...members });

  const queueing = useAction(async () => {
    const body = importBody(request, credentials);
    const { import_log_id } = await answerOf(api.POST('/v1/marketplace/import', { body }));
    onClose();
    onQueued(importAddress(import_log_id));
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void queueing.run();
  }

  const { problem } = queueing;
  const isAtField =
    pathProblem(problem) !== undefined || fieldProblem(problem, 'credentials/region') !== undefined;
  return (
    <Dialog title="New import" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {request.path_type === 0 ? (
          <PathField
            value={request.file_path}
            problem={pathProblem(problem)}
            onChange={(file_path) => change({ file_path })}
          />
        ) : (
          <OwnBucketFields
            path={request.file_path}
            credentials={credentials}
            problem={problem}
            onPath={(file_path) => change({ file_path })}
            onCredentials={(members) => setCredentials({ ...credentials, ...members })}
          />
        )}
        <SelectField
          label="Where the files are"
          value={request.path_type}
          onChange={({ currentTarget }) =>
            change({ path_type: currentTarget.value === '1' ? 1 : 0 })
          }
        >
          <option value={0}>Your part of the shared bucket</option>
          <option value={1}>Your own S3 bucket</option>
        </SelectField>
        <KeyTypeField request={request} onChange={change} />
        <ModeField request={request} onChange={change} />
        <DryRunField request={request} onChange={change} />
        <ProblemNote problem={problem} isAtField={isAtField} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={queueing.isRunning}>
            {request.dry_run ? 'Check' : 'Import'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
