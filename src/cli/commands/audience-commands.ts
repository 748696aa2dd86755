import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import {
  asPartnerOrCustomer,
  type ConnectPartner,
  type PartnerOptions,
} from '../connect/partner-connection.ts';
import { type AudienceDetails, audienceCard, audienceTable } from '../output/audience-text.ts';
import { exitWith } from '../output/outcome-text.ts';
import { type OutputOptions, print } from '../output/print.ts';
import { watchAudience } from '../watch/watch-audience.ts';
import { addCompositionCommand } from './composition-command.ts';

interface AudienceOptions extends OutputOptions, PartnerOptions {
  readonly watch?: boolean;
}

const pathsAndExitCode = `
The path is below the partner's prefix: a file, or what the files to be loaded begin with.
With --watch the exit code is 0 if all is loaded and 1 if something failed.`;

export function addAudienceCommands(program: Command, connect: ConnectPartner): void {
  const audience = program.command('audience').description('audiences, and what they consist of');

  asPartnerOrCustomer(audience.command('create <name> <path>'))
    .description('create an audience and queue the load of its files')
    .option('--watch', 'show its progress until it has ended')
    .option('--json', 'print JSON')
    .addHelpText('after', pathsAndExitCode)
    .action(async (name: string, path: string, options: AudienceOptions) => {
      const client = connect(options);
      const body = { name, file_path: path };
      const created = await answerOf(client.POST('/v2/firstparty/audience', { body }));
      const id = String(created.audience_id);
      if (options.watch) return followAudience(client, id, options);
      print(created, `Created audience ${id}: ${howToFollow(id)}`, options);
    });

  asPartnerOrCustomer(audience.command('append <audience_id> <path>'))
    .description('queue the load of more files; those that are loaded already are passed over')
    .option('--watch', 'show its progress until it has ended')
    .option('--json', 'print JSON')
    .addHelpText('after', pathsAndExitCode)
    .action(async (id: string, path: string, options: AudienceOptions) => {
      const client = connect(options);
      const body = { file_path: path };
      const params = { path: { audience_id: id } };
      await answerOf(client.PATCH('/v2/firstparty/audience/{audience_id}', { params, body }));
      if (options.watch) return followAudience(client, id, options);
      print({ audience_id: Number(id), ...body }, `Queued: ${howToFollow(id)}`, options);
    });

  asPartnerOrCustomer(audience.command('clear <audience_id>'))
    .description('empty an audience, and cancel what is loading; it cannot be undone')
    .option('--json', 'print JSON')
    .action(async (id: string, options: AudienceOptions) => {
      const params = { path: { audience_id: id } };
      await answerOf(connect(options).PUT('/v2/firstparty/audience/{audience_id}', { params }));
      print({ cleared: Number(id) }, `Audience ${id} is empty.`, options);
    });

  asPartnerOrCustomer(audience.command('list'))
    .description('list the audiences')
    .option('--json', 'print JSON')
    .action(async (options: AudienceOptions) => {
      const audiences = await answerOf(connect(options).GET('/v2/firstparty/audience'));
      print(audiences, audienceTable(audiences), options);
    });

  asPartnerOrCustomer(audience.command('show <audience_id>'))
    .description('one audience, with its files and what went wrong with them')
    .option('--watch', 'show its progress until nothing of it is left to load')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWith --watch the exit code is 0 if all is loaded and 1 if something failed.',
    )
    .action(async (id: string, options: AudienceOptions) => {
      const client = connect(options);
      if (options.watch) return followAudience(client, id, options);
      const params = { path: { audience_id: id } };
      const details = await answerOf(
        client.GET('/v2/firstparty/audience/{audience_id}', { params }),
      );
      await printAudience(client, details, options);
    });

  addCompositionCommand(audience, connect);
}

/** Follows the loads of an audience to their end, prints it, and leaves as exit code how they ended. */
async function followAudience(
  client: TributaryClient,
  id: string,
  options: OutputOptions,
): Promise<void> {
  const details = await watchAudience(client, id, process.stderr);
  await printAudience(client, details, options);
  exitWith(details);
}

async function printAudience(
  client: TributaryClient,
  details: AudienceDetails,
  options: OutputOptions,
): Promise<void> {
  const params = { path: { audience_id: String(details.audience_id) } };
  const problems = await answerOf(
    client.GET('/v2/firstparty/audience/{audience_id}/errors', { params }),
  );
  print(details, audienceCard(details, problems), options);
}

function howToFollow(id: string): string {
  return `tributary audience show ${id} --watch`;
}
