import type { paths } from '../../../../src/client/openapi.ts';
import type { ConsoleApi } from '../../api/client.ts';
import { answerOf, problemOf } from '../../api/problem.ts';
import { type Change, loadHistory } from '../history/history.ts';
import type { Composition } from './attribute.ts';

/** The owners, the status and the counts of an audience. */
export type ReportAudience =
  paths['/v1/console/segments/{segment_id}']['get']['responses'][200]['content']['application/json'];

/** An audience, its composition, if that is computed, and its changes, the latest first. */
export interface Report {
  readonly audience: ReportAudience;
  readonly composition: Composition | undefined;
  readonly history: readonly Change[];
}

const compositionPath = '/v2/firstparty/audience/{audience_id}/composition';

export async function loadReport(api: ConsoleApi, segmentId: string): Promise<Report> {
  const audience = await answerOf(
    api.GET('/v1/console/segments/{segment_id}', {
      params: { path: { segment_id: segmentId } },
    }),
  );
  const { audience_id } = audience;
  const [composition, history] = await Promise.all([
    answerOf(
      api.GET(compositionPath, { params: { path: { audience_id: String(audience_id) } } }),
    ).catch(noneYet),
    loadHistory(api, audience_id),
  ]);
  // The type includes the CSV variant, but only JSON was requested.
  return { audience, composition: composition as Composition | undefined, history };
}

function noneYet(thrown: unknown): undefined {
  if (problemOf(thrown).code !== 'not_computed_yet') throw thrown;
}

/** The report as CSV. */
export function loadCsv(api: ConsoleApi, audienceId: number): Promise<Blob> {
  return answerOf(
    api.GET(compositionPath, {
      params: { path: { audience_id: String(audienceId) } },
      headers: { accept: 'text/csv' },
      parseAs: 'blob',
    }),
  );
}
