import { type Command, InvalidArgumentError } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Connect, findCustomerId, findPartnerId } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

interface NewTokenOptions extends OutputOptions {
  readonly expiresIn?: number;
}

export function addUserTokenCommands(program: Command, connect: Connect): void {
  const userToken = program
    .command('user-token')
    .description('tokens with which a partner acts for a customer');

  userToken
    .command('create <partner> <customer>')
    .description(
      'let a partner act for a customer, each by id or name; the token is shown this once',
    )
    .option('--expires-in <seconds>', 'for how long (default: until it is revoked)', wholeSeconds)
    .option('--json', 'print JSON')
    .action(async (partner: string, customer: string, options: NewTokenOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const { expiresIn } = options;
      const body = {
        customer_id: await findCustomerId(client, customer),
        ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
      };
      const created = await answerOf(
        client.POST('/admin/v1/partners/{partner_id}/user-tokens', { params: { path }, body }),
      );
      const expires_at = created.expires_at ?? 'never';
      print(created, card({ ...created, expires_at }), options);
    });

  userToken
    .command('list <partner>')
    .description("list a partner's user tokens, without the tokens themselves")
    .option('--json', 'print JSON')
    .action(async (partner: string, options: OutputOptions) => {
      const client = await connect();
      const path = { partner_id: String(await findPartnerId(client, partner)) };
      const tokens = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/user-tokens', { params: { path } }),
      );
      const rows = tokens.map((each) => ({
        id: String(each.user_token_id),
        customer: String(each.customer_id),
        created: each.created_at,
        expires: each.expires_at ?? 'never',
        'last used': each.last_used_at,
        revoked: each.revoked_at,
      }));
      print(tokens, table(rows, 'The partner has no user tokens.'), options);
    });

  userToken
    .command('revoke <partner> <user_token_id>')
    .description('revoke a user token; it is refused from the next request on')
    .option('--json', 'print JSON')
    .action(async (partner: string, userTokenId: string, options: OutputOptions) => {
      const client = await connect();
      const path = {
        partner_id: String(await findPartnerId(client, partner)),
        user_token_id: userTokenId,
      };
      await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}/user-tokens/{user_token_id}', {
          params: { path },
        }),
      );
      print({ revoked: Number(userTokenId) }, `User token ${userTokenId} is revoked.`, options);
    });
}

function wholeSeconds(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}
