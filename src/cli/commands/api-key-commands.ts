import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Connect, findPartnerId } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

export function addApiKeyCommands(program: Command, connect: Connect): void {
  const key = program.command('key').description("partners' API keys");

  key
    .command('create <partner>')
    .description('create an API key for a partner, by id or name; it is shown this once')
    .option('--label <text>', 'to tell the keys of a partner apart')
    .option('--json', 'print JSON')
    .action(async (partner: string, options: OutputOptions & { label?: string }) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/api-keys', {
          params: { path },
          body: options.label === undefined ? {} : { label: options.label },
        }),
      );
      print(created, card({ ...created, api_key_id: String(created.api_key_id) }), options);
    });

  key
    .command('list <partner>')
    .description("list a partner's API keys, without the keys themselves")
    .option('--json', 'print JSON')
    .action(async (partner: string, options: OutputOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const keys = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/api-keys', { params: { path } }),
      );
      const rows = keys.map((each) => ({
        id: each.api_key_id,
        label: each.label,
        created: each.created_at,
        'last used': each.last_used_at,
        revoked: each.revoked_at,
      }));
      print(keys, table(rows, 'The partner has no API keys.'), options);
    });

  key
    .command('revoke <partner> <api_key_id>')
    .description('revoke an API key; it is refused from the next request on')
    .option('--json', 'print JSON')
    .action(async (partner: string, apiKeyId: string, options: OutputOptions) => {
      const client = await connect();
      const path = {
        partner_id: String(await findPartnerId(client, partner)),
        api_key_id: apiKeyId,
      };
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/api-keys/{api_key_id}', {
          params: { path },
        }),
      );
      print({ revoked: Number(apiKeyId) }, `API key ${apiKeyId} is revoked.`, options);
    });
}
