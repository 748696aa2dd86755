import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import {
  type AudienceDetails,
  audienceCard,
  audienceHistoryTable,
  audienceTable,
  type ConsoleAudience,
} from '../output/audience-text.ts';
import { setExitCode } from '../output/outcome-text.ts';
import { watchAudience } from '../watch/watch-audience.ts';
import type { AddAction, Outcome } from './add-action.ts';
import { addCompositionCommand } from './composition-command.ts';
import { addAudienceRejectsCommand } from './rejects-command.ts';

interface WatchOptions {
  readonly watch?: boolean;
}

const exitCodeHelp =
  'With --watch the exit code is 0 if everything is loaded and 1 if something failed.';
const pathHelp =
  "The path is relative to the partner's prefix: a file, or the common prefix of the files to load.";

export function addAudienceCommands(audience: Command, addAction: AddAction): void {
  addAction(
    audience
      .command('create <name> <path>')
      .description('create an audience and queue the load of its files')
      .option('--watch', 'show the progress until the load has ended')
      .addHelpText('after', `\n${pathHelp}\n${exitCodeHelp}`),
    async (client, name: string, path: string, { watch }: WatchOptions) => {
      const body = { name, file_path: path };
      const created = await answerOf(client.POST('/v2/firstparty/audience', { body }));
      const id = String(created.audience_id);
      if (watch) return watchToEnd(client, id);
      return { answer: created, text: `Created audience ${id}: ${watchCommand(id)}` };
    },
  );

  addAction(
    audience
      .command('append <audience_id> <path>')
      .description('queue the load of more files; files that are already loaded are skipped')
      .option('--watch', 'show the progress until the load has ended')
      .addHelpText('after', `\n${pathHelp}\n${exitCodeHelp}`),
    async (client, id: string, path: string, { watch }: WatchOptions) => {
      const body = { file_path: path };
      const params = { path: { audience_id: id } };
      await answerOf(client.PATCH('/v2/firstparty/audience/{audience_id}', { params, body }));
      if (watch) return watchToEnd(client, id);
      const answer = { audience_id: Number(id), ...body };
      return { answer, text: `Queued: ${watchCommand(id)}` };
    },
  );

  addAction(
    audience
      .command('clear <audience_id>')
      .description('remove all devices of an audience and cancel its loads; it cannot be undone'),
    async (client, id: string) => {
      const params = { path: { audience_id: id } };
      await answerOf(client.PUT('/v2/firstparty/audience/{audience_id}', { params }));
      return { answer: { cleared: Number(id) }, text: `Cleared audience ${id}.` };
    },
  );

  addAction(audience.command('list').description('list the audiences'), async (client) => {
    const audiences = await answerOf(client.GET('/v2/firstparty/audience'));
    return { answer: audiences, text: audienceTable(audiences, await clearedOf(client)) };
  });

  addAction(
    audience
      .command('show <audience_id>')
      .description('show an audience with its files and their problems')
      .option('--watch', 'show the progress until all loads have ended')
      .addHelpText('after', `\n${exitCodeHelp}`),
    async (client, id: string, { watch }: WatchOptions) => {
      if (watch) return watchToEnd(client, id);
      const params = { path: { audience_id: id } };
      const details = await answerOf(
        client.GET('/v2/firstparty/audience/{audience_id}', { params }),
      );
      return withProblems(client, details);
    },
  );

  addAction(
    audience
      .command('history <audience_id>')
      .description('show how the figures of an audience changed and why, the latest change first'),
    async (client, id: string) => {
      const params = { path: { audience_id: id } };
      const changes = await answerOf(
        client.GET('/v2/firstparty/audience/{audience_id}/history', { params }),
      );
      return { answer: changes, text: audienceHistoryTable(changes) };
    },
  );

  addCompositionCommand(audience, addAction);
  addAudienceRejectsCommand(audience, addAction);
}

/** Shows the progress of an audience's loads until all have ended, and sets the exit code. */
async function watchToEnd(client: TributaryClient, id: string): Promise<Outcome> {
  const details = await watchAudience(client, id, process.stderr);
  const outcome = await withProblems(client, details);
  setExitCode(details);
  return outcome;
}

async function withProblems(client: TributaryClient, details: AudienceDetails): Promise<Outcome> {
  const params = { path: { audience_id: String(details.audience_id) } };
  const problems = await answerOf(
    client.GET('/v2/firstparty/audience/{audience_id}/errors', { params }),
  );
  const segment = { path: { segment_id: String(details.default_warehouse_segment_id) } };
  const { cleared_at } = await answerOf(
    client.GET('/v1/console/segments/{segment_id}', { params: segment }),
  );
  return { answer: details, text: audienceCard(details, problems, cleared_at) };
}

/** By id, when audiences were cleared. The list itself has only the members of the specification. */
async function clearedOf(client: TributaryClient): Promise<Map<number, string>> {
  const limit = 1_000;
  const cleared = new Map<number, string>();
  let after: string | undefined;
  do {
    const query = { limit, ...(after === undefined ? {} : { after }) };
    // JSON is the default of this operation.
    const page = (await answerOf(
      client.GET('/v1/console/audiences', { params: { query } }),
    )) as ConsoleAudience[];
    for (const { audience_id, cleared_at } of page) {
      if (cleared_at !== null) cleared.set(audience_id, cleared_at);
    }
    after = page.length < limit ? undefined : page.at(-1)?.cursor;
  } while (after !== undefined);
  return cleared;
}

function watchCommand(id: string): string {
  return `tributary audience show ${id} --watch`;
}
