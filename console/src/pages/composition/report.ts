import type { paths } from '../../../../src/client/openapi.ts';
import type { ConsoleApi } from '../../api/client.ts';
import { answerOf, type Problem, problemOf } from '../../api/problem.ts';
import { type Change, loadHistory } from '../history/history.ts';
import type { Composition } from './attribute.ts';
import { plainView } from './view.ts';

/** The owners, the status and the counts of an audience. */
export type ReportAudience =
  paths['/v1/console/segments/{segment_id}']['get']['responses'][200]['content']['application/json'];

/** An audience, its composition, if that is computed, and its changes, the latest first. */
export interface Report {
  readonly audience: ReportAudience;
  readonly composition: Composition | undefined;
  /** Why the audience is compared with all devices instead of the chosen baseline. */
  readonly baselineProblem: Problem | undefined;
  readonly history: readonly Change[];
}

const compositionPath = '/v2/firstparty/audience/{audience_id}/composition';

export async function loadReport(
  api: ConsoleApi,
  segmentId: string,
  baseline: string,
): Promise<Report> {
  const audience = await answerOf(
    api.GET('/v1/console/segments/{segment_id}', {
      params: { path: { segment_id: segmentId } },
    }),
  );
  const { audience_id } = audience;
  const [compared, history] = await Promise.all([
    loadCompared(api, audience_id, baseline),
    loadHistory(api, audience_id),
  ]);
  return { audience, ...compared, history };
}

/** The composition with this baseline. If there is none, the one with all devices, and the reason. */
async function loadCompared(
  api: ConsoleApi,
  audienceId: number,
  baseline: string,
): Promise<Pick<Report, 'composition' | 'baselineProblem'>> {
  try {
    const composition = await loadComposition(api, audienceId, baseline);
    return { composition, baselineProblem: undefined };
  } catch (thrown) {
    const problem = problemOf(thrown);
    if (!isMissing(problem)) throw thrown;
    if (baseline === plainView.baseline) {
      return { composition: undefined, baselineProblem: undefined };
    }
    const { composition } = await loadCompared(api, audienceId, plainView.baseline);
    return { composition, baselineProblem: problem };
  }
}

export async function loadComposition(
  api: ConsoleApi,
  audienceId: number,
  baseline: string,
): Promise<Composition> {
  const params = { path: { audience_id: String(audienceId) }, query: { baseline } };
  // The type includes the CSV variant, but only JSON was requested.
  return (await answerOf(api.GET(compositionPath, { params }))) as Composition;
}

/** Whether the chosen baseline does not exist, or is not computed yet. */
function isMissing({ code }: Problem): boolean {
  return code === 'not_computed_yet' || code === 'not_found' || code === 'invalid_input';
}
