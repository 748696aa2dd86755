import { useEffect } from 'react';
import { answerOf } from '../../api/problem.ts';
import { useApi, useSession } from '../../api/session.tsx';
import { useAnswer } from '../../api/use-answer.ts';
import { useEvery } from '../../api/use-every.ts';
import { useLive } from '../../api/use-live.ts';
import type { Progress } from '../imports/jobs.ts';
import { isOpen } from '../imports/status.ts';
import { findJob } from '../imports/use-import.ts';
import type { AudienceDetails } from './audience.ts';

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

interface Known extends Pick<AudienceDetails, 'status' | 'updated_at'> {
  readonly default_warehouse_segment_id: number;
}

/** The names of an audience's partner and customer, when it was cleared, and its latest load. */
export function useOwners(audience: Known | undefined) {
  const api = useApi();
  const { kind } = useSession();
  const segmentId = audience?.default_warehouse_segment_id;
  const { data } = useAnswer(async () => {
    if (segmentId === undefined) return undefined;
    const params = { path: { segment_id: String(segmentId) } };
    const owners = await answerOf(api.GET('/v1/console/segments/{segment_id}', { params }));
    const loadId = kind === 'partner' ? owners.latest_load_id : null;
    return { ...owners, latestLoad: loadId === null ? undefined : await findJob(api, loadId) };
  }, [api, kind, segmentId, audience?.status, audience?.updated_at]);
  return data;
}
