import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { card, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addOauthKeyCommands(oauthKey: Command, addAction: AddAction): void {
  addAction(
    oauthKey
      .command('list')
      .description('list the keys that verify signatures, newest first, without the secrets'),
    async (client) => {
      const keys = await answerOf(client.GET('/admin/v1/oauth-keys'));
      const rows = keys.map((each) => ({
        kid: each.kid,
        created: time(each.created_at),
        retired: time(each.retired_at),
      }));
      const none = 'There are no keys yet: the first is created when needed.';
      return { answer: keys, text: table(rows, none) };
    },
  );

  addAction(
    oauthKey.command('rotate').description('replace the signing key; existing tokens remain valid'),
    async (client) => {
      const created = await answerOf(client.POST('/admin/v1/oauth-keys'));
      return { answer: created, text: `${card(created)}\n\nIt signs within a minute.` };
    },
  );
}
