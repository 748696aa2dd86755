import { useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type ImportRequest, importBody, nextRun } from './import-body.ts';
import { type ImportLog, importAddress } from './jobs.ts';
import { NewImportDialog } from './new-import-dialog.tsx';

const labels = { import: 'Import for real', again: 'Run again' };

/**
 * Queues an ended import again with the same parameters. Credentials of the partner's own bucket are
 * not kept, so the form asks for them again.
 */
export function RunAgain({ log }: { readonly log: ImportLog }) {
  const api = useApi();
  const [, navigate] = useLocation();
  const [form, setForm] = useState<ImportRequest>();
  const next = nextRun(log);

  const queueing = useAction(async () => {
    const params = { path: { import_log_id: String(log.import_log_id) } };
    const queued = await answerOf(
      api.GET('/v1/console/imports/{import_log_id}/request', { params }),
    );
    const request = { ...queued, dry_run: queued.dry_run && next === 'again' };
    if (request.path_type === 1) return setForm(request);
    const body = importBody(request);
    const { import_log_id } = await answerOf(api.POST('/v1/marketplace/import', { body }));
    navigate(importAddress(import_log_id));
  });

  if (next === undefined) return null;
  return (
    <>
      <ProblemNote problem={queueing.problem} />
      <Button kind="primary" disabled={queueing.isRunning} onClick={() => void queueing.run()}>
        {labels[next]}
      </Button>
      {form !== undefined && (
        <NewImportDialog initial={form} onQueued={navigate} onClose={() => setForm(undefined)} />
      )}
    </>
  );
}
