import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import { type OutputOptions, printStream } from '../output/print.ts';
import { jobOf } from '../watch/watch-job.ts';
import type { AddAction } from './add-action.ts';

const help = `
The columns are file, line, code and original. With --json each row is one JSON object per line, with
its exact bytes. Rejected rows are kept for 30 days, at most 10,000 of a file.`;

/** Prints the rows that a job rejected. For the load of an audience, those of all files of the audience. */
export function addRejectsCommand(rejects: Command, addAction: AddAction): void {
  addAction(
    rejects.addHelpText('after', help),
    async (client, job: string, { json = false }: OutputOptions) => {
      const audience = (await jobOf(client, job))?.audience;
      if (audience) return printAudienceRejects(client, String(audience.audience_id), json);
      const options = { params: { path: { import_log_id: job } }, ...format(json) };
      await printStream(
        await answerOf(client.GET('/v1/marketplace/import/{import_log_id}/rejects', options)),
      );
      return undefined;
    },
  );
}

export function addAudienceRejectsCommand(audience: Command, addAction: AddAction): void {
  addAction(
    audience
      .command('rejects <audience_id>')
      .description("print the rejected rows of an audience's files as CSV")
      .addHelpText('after', help),
    (client, id: string, { json = false }: OutputOptions) => printAudienceRejects(client, id, json),
  );
}

async function printAudienceRejects(
  client: TributaryClient,
  id: string,
  json: boolean,
): Promise<undefined> {
  const options = { params: { path: { audience_id: id } }, ...format(json) };
  await printStream(
    await answerOf(client.GET('/v2/firstparty/audience/{audience_id}/rejects', options)),
  );
}

function format(json: boolean) {
  const accept = json ? 'application/x-ndjson' : 'text/csv';
  return { headers: { accept }, parseAs: 'stream' } as const;
}
