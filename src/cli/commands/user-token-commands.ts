import { type Command, InvalidArgumentError } from 'commander';
import { answerOf } from '../../client/client.ts';
import { findCustomerId, partnerPath } from '../connect/find-by-name.ts';
import { card, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addUserTokenCommands(userToken: Command, addAction: AddAction): void {
  addAction(
    userToken
      .command('create <partner> <customer>')
      .description('let a partner act for a customer (ids or names); the token is shown only once')
      .option('--expires-in <seconds>', 'lifetime (default: until it is revoked)', wholeSeconds),
    async (
      client,
      partner: string,
      customer: string,
      { expiresIn }: { readonly expiresIn?: number },
    ) => {
      const path = await partnerPath(client, partner);
      const body = {
        customer_id: await findCustomerId(client, customer),
        ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
      };
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/user-tokens', { params: { path }, body }),
      );
      const expires_at = time(created.expires_at) ?? 'never';
      return { answer: created, text: card({ ...created, expires_at }) };
    },
  );

  addAction(
    userToken
      .command('list <partner>')
      .description("list a partner's user tokens, without the secrets"),
    async (client, partner: string) => {
      const path = await partnerPath(client, partner);
      const tokens = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/user-tokens', { params: { path } }),
      );
      const rows = tokens.map((each) => ({
        id: String(each.user_token_id),
        customer: String(each.customer_id),
        created: time(each.created_at),
        expires: time(each.expires_at) ?? 'never',
        'last used': time(each.last_used_at),
        revoked: time(each.revoked_at),
      }));
      return { answer: tokens, text: table(rows, 'The partner has no user tokens.') };
    },
  );

  addAction(
    userToken
      .command('revoke <partner> <user_token_id>')
      .description('revoke a user token, effective from the next request'),
    async (client, partner: string, id: string) => {
      const path = { ...(await partnerPath(client, partner)), user_token_id: id };
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/user-tokens/{user_token_id}', {
          params: { path },
        }),
      );
      return { answer: { revoked: Number(id) }, text: `User token ${id} is revoked.` };
    },
  );
}

function wholeSeconds(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}
