import type { WriteStream } from 'node:tty';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { AudienceDetails } from '../output/audience-text.ts';
import { type JobProgress, jobProgressLine } from '../output/job-progress.ts';
import { hasEnded } from '../output/outcome-text.ts';
import { watch } from './watch.ts';

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
