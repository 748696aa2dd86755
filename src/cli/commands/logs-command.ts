import type { Command } from 'commander';
import { ApiError, answerOf, type TributaryClient } from '../../client/client.ts';
import { logCard } from '../output/import-log-text.ts';
import { type Job, jobTable, loadCard } from '../output/job-text.ts';
import { setExitCode } from '../output/outcome-text.ts';
import { jobOf, jobsOf, watchJob, watchLoad } from '../watch/watch-job.ts';
import type { AddAction, Outcome } from './add-action.ts';

export function addLogsCommand(logs: Command, addAction: AddAction): void {
  addAction(
    logs
      .option('--watch', 'show the progress of that job, or of the newest, until it has ended')
      .addHelpText(
        'after',
        '\nWith --watch the exit code is 0 if the job is done and 1 if it failed.',
      ),
    async (client, id: string | undefined, { watch }: { readonly watch?: boolean }) => {
      if (id === undefined && !watch) {
        const jobs = await jobsOf(client);
        return { answer: jobs, text: jobTable(jobs) };
      }
      const jobId = id ?? newestOf(await jobsOf(client));
      const job = await jobOf(client, jobId);
      if (job?.kind === 'audience') return watch ? watchLoadToEnd(client, jobId) : loadOutcome(job);
      if (watch) return watchToEnd(client, jobId);
      const params = { path: { import_log_id: jobId } };
      const log = await answerOf(client.GET('/v1/marketplace/import/{import_log_id}', { params }));
      return { answer: log, text: logCard(log) };
    },
  );
}

/** Shows the progress of a job until it has ended, and sets the exit code. */
export async function watchToEnd(client: TributaryClient, id: string | number): Promise<Outcome> {
  const log = await watchJob(client, String(id), process.stderr);
  setExitCode(log);
  return { answer: log, text: logCard(log) };
}

async function watchLoadToEnd(client: TributaryClient, id: string): Promise<Outcome> {
  const load = await watchLoad(client, id, process.stderr);
  if (load.state !== 'done') process.exitCode = 1;
  return loadOutcome(load);
}

function loadOutcome(load: Job): Outcome {
  return { answer: load, text: loadCard(load) };
}

function newestOf([newest]: readonly Job[]): string {
  if (!newest) throw new ApiError('there are no jobs yet');
  return String(newest.job_id);
}
