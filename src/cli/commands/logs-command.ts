import type { Command } from 'commander';
import { ApiError, answerOf, type TributaryClient } from '../../client/client.ts';
import { logCard, logTable } from '../output/import-log-text.ts';
import { setExitCode } from '../output/outcome-text.ts';
import { watchJob } from '../watch/watch-job.ts';
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
      if (watch) return watchToEnd(client, id ?? (await newestId(client)));
      if (id === undefined) {
        const answer = await answerOf(client.GET('/v1/marketplace/import'));
        return { answer, text: logTable(answer) };
      }
      const params = { path: { import_log_id: id } };
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

async function newestId(client: TributaryClient): Promise<number> {
  const [log] = await answerOf(client.GET('/v1/marketplace/import'));
  if (!log) throw new ApiError('there are no jobs yet');
  return log.import_log_id;
}
