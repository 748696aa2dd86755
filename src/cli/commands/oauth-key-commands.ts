import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { Connect } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

export function addOauthKeyCommands(program: Command, connect: Connect): void {
  const oauthKey = program
    .command('oauth-key')
    .description('what the authorization server signs with');

  oauthKey
    .command('list')
    .description('list the keys that verify, newest first, without the keys themselves')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const keys = await answerOf(client.GET('/admin/v1/oauth-keys'));
      const rows = keys.map((each) => ({
        kid: each.kid,
        created: each.created_at,
        retired: each.retired_at,
      }));
      print(keys, table(rows, 'There are no keys yet: the first is made when needed.'), options);
    });

  oauthKey
    .command('rotate')
    .description('put a new key in the place of the present one; no token is lost')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const created = await answerOf(client.POST('/admin/v1/oauth-keys'));
      print(created, `${card(created)}\n\nIt signs within a minute.`, options);
    });
}
