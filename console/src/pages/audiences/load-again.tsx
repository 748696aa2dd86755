import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import type { Job } from '../imports/jobs.ts';
import type { AudienceDetails } from './audience.ts';
import { pathsToLoadAgain } from './paths-to-load-again.ts';

interface LoadAgainProps {
  readonly audience: AudienceDetails;
  readonly latestLoad: Job | undefined;
  onQueued(): void;
}

/** Appends again whatever failed to load. */
export function LoadAgain({ audience, latestLoad, onQueued }: LoadAgainProps) {
  const api = useApi();
  const { prefix } = useSession();
  const paths = pathsToLoadAgain(audience, latestLoad, prefix ?? '');
  const queueing = useAction(async () => {
    const params = { path: { audience_id: String(audience.audience_id) } };
    for (const file_path of paths) {
      const body = { file_path };
      await answerOf(api.PATCH('/v2/firstparty/audience/{audience_id}', { params, body }));
    }
    onQueued();
  });
  if (paths.length === 0) return null;
  return (
    <>
      <ProblemNote problem={queueing.problem} />
      <Button disabled={queueing.isRunning} onClick={() => void queueing.run()}>
        Run again
      </Button>
    </>
  );
}
