import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { partnerPath } from '../connect/find-by-name.ts';
import { card, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addApiKeyCommands(key: Command, addAction: AddAction): void {
  addAction(
    key
      .command('create <partner>')
      .description('create an API key for a partner (id or name); it is shown only once')
      .option('--label <text>', "tells the partner's keys apart"),
    async (client, partner: string, { label }: { label?: string }) => {
      const path = await partnerPath(client, partner);
      const body = label === undefined ? {} : { label };
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/api-keys', { params: { path }, body }),
      );
      const text = card({ ...created, api_key_id: String(created.api_key_id) });
      return { answer: created, text };
    },
  );

  addAction(
    key.command('list <partner>').description("list a partner's API keys, without the secrets"),
    async (client, partner: string) => {
      const path = await partnerPath(client, partner);
      const keys = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/api-keys', { params: { path } }),
      );
      const rows = keys.map((each) => ({
        id: each.api_key_id,
        label: each.label,
        created: time(each.created_at),
        'last used': time(each.last_used_at),
        revoked: time(each.revoked_at),
      }));
      return { answer: keys, text: table(rows, 'The partner has no API keys.') };
    },
  );

  addAction(
    key
      .command('revoke <partner> <api_key_id>')
      .description('revoke an API key, effective from the next request'),
    async (client, partner: string, id: string) => {
      const path = { ...(await partnerPath(client, partner)), api_key_id: id };
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/api-keys/{api_key_id}', {
          params: { path },
        }),
      );
      return { answer: { revoked: Number(id) }, text: `API key ${id} is revoked.` };
    },
  );
}
