import type { WriteStream } from 'node:tty';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { AudienceDetails } from '../output/audience-text.ts';
import { type JobProgressAnswer, jobProgressLine } from '../output/job-progress.ts';
import { hasEnded } from '../output/outcome-text.ts';
import { watch } from './watch.ts';

/** Shows the progress of an audience's loads until all have ended, and returns its details. */
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
    // JSON is the default of this operation.
    show(jobProgressLine(progress as JobProgressAnswer));
    return undefined;
  });
}
