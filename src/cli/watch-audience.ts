import type { WriteStream } from 'node:tty';
import { answerOf, type TributaryClient } from '../client/client.ts';
import type { paths } from '../client/openapi.ts';
import { type JobProgress, jobProgressLine } from './job-progress.ts';
import { hasEnded } from './outcome-text.ts';
import { watch } from './watch.ts';

export type AudienceDetails =
  paths['/v2/firstparty/audience/{audience_id}']['get']['responses'][200]['content']['application/json'];

/** Shows how an audience's loads come along until none is left, and gives its details. */
export function watchAudience(
  client: TributaryClient,
  audienceId: string,
  terminal: WriteStream,
): Promise<AudienceDetails> {
  const params = { path: { audience_id: audienceId } };
  return watch(terminal, async (show) => {
    const audience = await answerOf(
      client.GET('/v2/firstparty/audience/{audience_id}', { params }),
    );
    if (hasEnded(audience)) return audience;
    const progress = await answerOf(
      client.GET('/v2/firstparty/audience/{audience_id}/progress', { params }),
    );
    // As JSON, since nothing else was asked for.
    show(jobProgressLine(progress as JobProgress));
    return undefined;
  });
}
