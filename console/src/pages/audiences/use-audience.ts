import { useEffect } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { useEvery } from '../../api/use-every.ts';
import { useLive } from '../../api/use-live.ts';
import type { Progress } from '../imports/jobs.ts';
import { isOpen } from '../imports/status.ts';

/** Polled as well, because no event stream reports an append or a clear while nothing loads. */
const pollSeconds = 10;

/** An audience with its files and their problems, kept up to date. */
export function useAudience(audienceId: string) {
  const api = useApi();
  const { data, problem, reload } = useAnswer(async () => {
    const params = { path: { audience_id: audienceId } };
    const [audience, problems] = await Promise.all([
      answerOf(api.GET('/v2/firstparty/audience/{audience_id}', { params })),
      answerOf(api.GET('/v2/firstparty/audience/{audience_id}/errors', { params })),
    ]);
    return { audience, problems };
  }, [api, audienceId]);

  const isLoading = data !== undefined && isOpen(data.audience);
  const { data: progress } = useLive<Progress>(
    isLoading ? `/v2/firstparty/audience/${audienceId}/progress` : undefined,
    'progress',
  );
  // Events arrive about once a second, and the files change with them.
  useEffect(() => {
    if (progress !== undefined) reload();
  }, [progress, reload]);
  useEvery(pollSeconds, reload);

  return { ...data, problem, reload, progress: isLoading ? progress : undefined };
}

/** The partner and the customer of an audience and when it was cleared, which its own record omits. */
export function useOwners(segmentId: number | undefined, updatedAt: string | undefined) {
  const api = useApi();
  const { data } = useAnswer(async () => {
    if (segmentId === undefined) return undefined;
    const params = { path: { segment_id: String(segmentId) } };
    return answerOf(api.GET('/v1/console/segments/{segment_id}', { params }));
  }, [api, segmentId, updatedAt]);
  return data;
}
