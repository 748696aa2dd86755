import type { Command } from 'commander';
import { allRecords, answerOf, type TributaryClient } from '../../client/client.ts';
import type { AddAction } from '../commands/add-action.ts';
import { table, time } from '../output/print.ts';

export function addWebhookCommands(webhook: Command, addAction: AddAction): void {
  addAction(webhook.command('list').description("list all partners' webhooks"), async (client) => {
    const webhooks = await allRecords((query) =>
      client.GET('/admin/v1/webhooks', { params: { query } }),
    );
    const rows = webhooks.map((each) => ({
      id: String(each.webhook_id),
      partner: each.partner_name,
      url: each.url,
      events: each.events?.join(', ') ?? 'all',
      pending: String(each.pending),
      'failing since': time(each.failing_since),
      disabled: each.disabled_by ?? '',
    }));
    return { answer: webhooks, text: table(rows, 'There are no webhooks.') };
  });

  addAction(
    webhook
      .command('disable <webhook_id>')
      .description('send nothing to a webhook; its events wait for up to 7 days'),
    (client, id: string) => setDisabled(client, id, true),
  );

  addAction(
    webhook.command('enable <webhook_id>').description('send the events that waited, and new ones'),
    (client, id: string) => setDisabled(client, id, false),
  );
}

async function setDisabled(client: TributaryClient, id: string, disabled: boolean) {
  const params = { path: { webhook_id: id } };
  await answerOf(client.PATCH('/admin/v1/webhooks/{webhook_id}', { params, body: { disabled } }));
  const text = `Webhook ${id} is ${disabled ? 'disabled' : 'enabled'}.`;
  return { answer: { webhook_id: Number(id), disabled }, text };
}
