import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import type { AudienceDetails } from './audience.ts';
import { clearingLoses } from './audience-words.ts';

interface ClearDialogProps {
  readonly audience: AudienceDetails;
  onCleared(): void;
  onClose(): void;
}

/** Asks for confirmation and lists what will be lost. */
export function ClearDialog({ audience, onCleared, onClose }: ClearDialogProps) {
  const api = useApi();
  const { audience_id } = audience;
  const { data: jobs = [] } = useAnswer(
    () => answerOf(api.GET('/v1/console/jobs')),
    [api, audience.updated_at],
  );
  const openLoads = jobs.filter(
    (job) =>
      job.audience?.audience_id === audience_id &&
      (job.state === 'pending' || job.state === 'running'),
  );

  async function clear(): Promise<void> {
    const params = { path: { audience_id: String(audience_id) } };
    await answerOf(api.PUT('/v2/firstparty/audience/{audience_id}', { params }));
    onCleared();
  }

  return (
    <ConfirmDialog
      title="Clear this audience?"
      confirmLabel="Clear"
      onConfirm={clear}
      onClose={onClose}
    >
      <p>
        <strong>
          <bdi>{audience.name}</bdi>
        </strong>{' '}
        will be empty. This cannot be undone.
      </p>
      <ul>
        {clearingLoses(audience, openLoads.length).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
