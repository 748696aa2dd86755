import type { WriteStream } from 'node:tty';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import type { ImportLog } from '../output/import-log-text.ts';
import { type JobProgressAnswer, jobProgressLine } from '../output/job-progress.ts';
import { hasEnded } from '../output/outcome-text.ts';
import { watch } from './watch.ts';

/** Shows the progress of a job until it has ended, and returns its log. */
export function watchJob(
  client: TributaryClient,
  jobId: string,
  terminal: WriteStream,
): Promise<ImportLog> {
  const params = { path: { import_log_id: jobId } };
  return watch(terminal, async (show) => {
    const log = await answerOf(client.GET('/v1/marketplace/import/{import_log_id}', { params }));
    if (hasEnded(log)) return log;
    const progress = await answerOf(
      client.GET('/v1/marketplace/import/{import_log_id}/progress', { params }),
    );
    // JSON is the default of this operation.
    show(jobProgressLine(progress as JobProgressAnswer));
    return undefined;
  });
}
