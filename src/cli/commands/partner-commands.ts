import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { card, table } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addPartnerCommands(partner: Command, addAction: AddAction): void {
  addAction(
    partner.command('create <name>').description('create a partner'),
    async (client, name: string) => {
      const created = await answerOf(client.POST('/admin/v1/partners', { body: { name } }));
      const id = String(created.partner_id);
      const next = `Create an API key for it: tributary key create ${id}`;
      return { answer: created, text: `${card({ ...created, partner_id: id })}\n\n${next}` };
    },
  );

  addAction(partner.command('list').description('list all partners'), async (client) => {
    const partners = await answerOf(client.GET('/admin/v1/partners'));
    const rows = partners.map((each) => ({
      id: each.partner_id,
      name: each.name,
      bucket: each.bucket,
      prefix: each.prefix,
      created: each.created_at,
    }));
    return { answer: partners, text: table(rows, 'There are no partners yet.') };
  });
}
