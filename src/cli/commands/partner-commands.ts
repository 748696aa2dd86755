import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { Connect } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

export function addPartnerCommands(program: Command, connect: Connect): void {
  const partner = program.command('partner').description('who uploads files and calls the API');

  partner
    .command('create <name>')
    .description('create a partner')
    .option('--json', 'print JSON')
    .action(async (name: string, options: OutputOptions) => {
      const client = await connect();
      const created = await answerOf(client.POST('/admin/v1/partners', { body: { name } }));
      const next = `Give it an API key: tributary key create ${created.partner_id}`;
      print(
        created,
        `${card({ ...created, partner_id: String(created.partner_id) })}\n\n${next}`,
        options,
      );
    });

  partner
    .command('list')
    .description('list partners')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const partners = await answerOf(client.GET('/admin/v1/partners'));
      const rows = partners.map((each) => ({
        id: each.partner_id,
        name: each.name,
        bucket: each.bucket,
        prefix: each.prefix,
        created: each.created_at,
      }));
      print(partners, table(rows, 'There are no partners yet.'), options);
    });
}
