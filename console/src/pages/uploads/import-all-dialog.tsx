import { type FormEvent, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count } from '../../parts/format.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { importBody, plainRequest } from '../imports/import-body.ts';
import { DryRunField, KeyTypeField } from '../imports/import-options.tsx';

interface ImportAllDialogProps {
  readonly paths: readonly string[];
  onQueued(): void;
  onClose(): void;
}

/** Queues one import for each uploaded file. They merge: a replacement by the next file would undo the one before. */
export function ImportAllDialog({ paths, onQueued, onClose }: ImportAllDialogProps) {
  const api = useApi();
  const [request, setRequest] = useState(plainRequest);
  const [queued, setQueued] = useState(0);

  // After a failure, the next attempt continues with the file that failed.
  const queueing = useAction(async () => {
    for (const [at, file_path] of paths.entries()) {
      if (at < queued) continue;
      const body = importBody({ ...request, file_path });
      await answerOf(api.POST('/v1/marketplace/import', { body }));
      setQueued(at + 1);
    }
    onClose();
    onQueued();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void queueing.run();
  }

  const change = (members: Partial<typeof request>) => setRequest({ ...request, ...members });
  return (
    <Dialog title={`Import ${count(paths.length)} files`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>One import for each file, in this order. Their devices are merged.</p>
        <ol className="upload-paths">
          {paths.map((path) => (
            <li key={path}>
              <bdi className="path">{path}</bdi>
            </li>
          ))}
        </ol>
        <KeyTypeField request={request} onChange={change} />
        <DryRunField request={request} onChange={change} />
        <ProblemNote problem={queueing.problem}>
          <p>
            {count(queued)} of {count(paths.length)} imports are queued.
          </p>
        </ProblemNote>
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={queueing.isRunning}>
            {request.dry_run ? 'Check all' : 'Import all'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
