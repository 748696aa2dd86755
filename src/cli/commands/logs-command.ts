import type { Command } from 'commander';
import { answerOf, ProblemAnswer, type TributaryClient } from '../../client/client.ts';
import {
  asPartner,
  type ConnectPartner,
  type PartnerOptions,
} from '../connect/partner-connection.ts';
import { logCard, logTable } from '../output/import-log-text.ts';
import { exitWith } from '../output/outcome-text.ts';
import { type OutputOptions, print } from '../output/print.ts';
import { watchJob } from '../watch/watch-job.ts';

interface LogsOptions extends OutputOptions, PartnerOptions {
  readonly watch?: boolean;
}

export function addLogsCommand(program: Command, connect: ConnectPartner): void {
  asPartner(program.command('logs [id]'))
    .description("the partner's last 100 jobs, newest first; or one of them")
    .option('--watch', 'show the progress of that job, or of the newest, until it has ended')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWith --watch the exit code is 0 if the job is done and 1 if it failed.',
    )
    .action(async (id: string | undefined, options: LogsOptions) => {
      const client = connect(options);
      if (options.watch) return showJob(client, id ?? (await newest(client)), options);
      if (id === undefined) {
        const logs = await answerOf(client.GET('/v1/marketplace/import'));
        return print(logs, logTable(logs), options);
      }
      const params = { path: { import_log_id: id } };
      const log = await answerOf(client.GET('/v1/marketplace/import/{import_log_id}', { params }));
      print(log, logCard(log), options);
    });
}

/** Follows a job to its end, prints its log, and leaves as exit code how it ended. */
export async function showJob(
  client: TributaryClient,
  id: string | number,
  options: OutputOptions,
): Promise<void> {
  const log = await watchJob(client, String(id), process.stderr);
  print(log, logCard(log), options);
  exitWith(log);
}

async function newest(client: TributaryClient): Promise<number> {
  const [log] = await answerOf(client.GET('/v1/marketplace/import'));
  if (!log) throw new ProblemAnswer('there are no jobs yet');
  return log.import_log_id;
}
