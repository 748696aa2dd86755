import { type FormEvent, useState } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { audienceAddress } from '../imports/jobs.ts';
import { PathField, pathProblem } from '../imports/path-field.tsx';
import { AudienceChoice } from './audience-choice.tsx';

interface AppendDialogProps {
  /** The audience to append to; if omitted, the dialog asks for it. */
  readonly audience?: { readonly audience_id: number };
  readonly path?: string;
  onAppended(address: string): void;
  onClose(): void;
}

/** Asks for a path and queues loading it into an audience. */
export function AppendDialog({ audience, path = '', onAppended, onClose }: AppendDialogProps) {
  const api = useApi();
  const [audienceId, setAudienceId] = useState(audience?.audience_id);
  const [filePath, setFilePath] = useState(path);

  const appending = useAction(async () => {
    if (audienceId === undefined) return;
    const params = { path: { audience_id: String(audienceId) } };
    const body = { file_path: filePath };
    await answerOf(api.PATCH('/v2/firstparty/audience/{audience_id}', { params, body }));
    onClose();
    onAppended(audienceAddress(audienceId));
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void appending.run();
  }

  const pathError = pathProblem(appending.problem);
  return (
    <Dialog title="Append files" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>
          New devices are added; a device that is already in the audience is counted once. Files
          that are already loaded and have not changed are skipped.
        </p>
        {audience === undefined && <AudienceChoice value={audienceId} onChange={setAudienceId} />}
        <PathField value={filePath} problem={pathError} onChange={setFilePath} />
        <ProblemNote problem={appending.problem} isAtField={pathError !== undefined} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={appending.isRunning || audienceId === undefined}
          >
            Append
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
