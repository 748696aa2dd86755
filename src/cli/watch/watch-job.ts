import type { WriteStream } from 'node:tty';
import { ApiError, answerOf, type TributaryClient } from '../../client/client.ts';
import type { ImportLog } from '../output/import-log-text.ts';
import { type JobProgressAnswer, jobProgressLine } from '../output/job-progress.ts';
import type { Job } from '../output/job-text.ts';
import { hasEnded } from '../output/outcome-text.ts';
import { watch } from './watch.ts';

/** The partner's last 100 jobs of every kind, newest first. */
export async function jobsOf(client: TributaryClient): Promise<Job[]> {
  // JSON is the default of this operation.
  return (await answerOf(client.GET('/v1/console/jobs'))) as Job[];
}

/** One of the partner's jobs, if it exists: the newest that is not newer than itself. */
export async function jobOf(client: TributaryClient, jobId: string): Promise<Job | undefined> {
  const after = Number(jobId) + 1;
  if (!Number.isSafeInteger(after) || after < 2) return undefined;
  const params = { query: { after, limit: 1 } };
  const [job] = (await answerOf(client.GET('/v1/console/jobs', { params }))) as Job[];
  return job?.job_id === Number(jobId) ? job : undefined;
}

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

/** The same for the load of an audience, which has no log. */
export function watchLoad(
  client: TributaryClient,
  jobId: string,
  terminal: WriteStream,
): Promise<Job> {
  return watch(terminal, async (show) => {
    const job = await jobOf(client, jobId);
    if (!job) throw new ApiError(`job ${jobId} no longer exists`);
    if (job.state !== 'pending' && job.state !== 'running') return job;
    show(jobProgressLine(job.progress));
    return undefined;
  });
}
