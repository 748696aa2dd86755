import type { Command } from 'commander';
import { answerOf, ProblemAnswer, type TributaryClient } from '../../client/client.ts';
import { type Connect, findCustomerId, findPartnerId, findUser } from '../connect/connection.ts';
import { type OutputOptions, print, table } from '../output/print.ts';

interface ListOptions extends OutputOptions {
  readonly partner?: string;
  readonly customer?: string;
  readonly user?: string;
}

interface GrantFilter {
  readonly partner_id?: number;
  readonly customer_id?: number;
  readonly user_id?: number;
}

export function addGrantCommands(program: Command, connect: Connect): void {
  const grant = program.command('grant').description("which partners' apps act for which users");

  grant
    .command('list')
    .description('list what users have allowed, newest first')
    .option('--partner <partner>', "only a partner's apps, by id or name")
    .option('--customer <customer>', "only a customer's users, by id or name")
    .option('--user <user>', 'only one user, by id, or by e-mail with --customer')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const client = await connect();
      const grants = await allGrants(client, await filterOf(client, options));
      const rows = grants.map((each) => ({
        id: String(each.grant_id),
        app: each.app_name,
        partner: each.partner_name,
        user: each.email,
        customer: each.customer_name,
        since: each.created_at,
        'last used': each.last_used_at,
        until: each.expires_at,
      }));
      print(grants, table(rows, 'No app acts for anybody there.'), options);
    });

  grant
    .command('revoke <grant_id>')
    .description('stop an app from acting for a user; its tokens are refused at once')
    .option('--json', 'print JSON')
    .action(async (grantId: string, options: OutputOptions) => {
      const client = await connect();
      const path = { grant_id: grantId };
      await answerOf(client.DELETE('/admin/v1/oauth-grants/{grant_id}', { params: { path } }));
      print({ revoked: Number(grantId) }, `Grant ${grantId} is revoked.`, options);
    });
}

async function filterOf(client: TributaryClient, options: ListOptions): Promise<GrantFilter> {
  const { partner, customer, user } = options;
  return {
    ...(partner === undefined ? {} : { partner_id: await findPartnerId(client, partner) }),
    ...(customer === undefined ? {} : { customer_id: await findCustomerId(client, customer) }),
    ...(user === undefined ? {} : { user_id: await userIdOf(client, user, customer) }),
  };
}

/** Users are listed by customer, so an e-mail alone finds none. */
async function userIdOf(
  client: TributaryClient,
  user: string,
  customer: string | undefined,
): Promise<number> {
  if (customer !== undefined) return Number((await findUser(client, customer, user)).user_id);
  if (/^\d{1,15}$/.test(user)) return Number(user);
  throw new ProblemAnswer('to name a user by e-mail, give --customer as well');
}

const pageLength = 1000;

async function allGrants(client: TributaryClient, filter: GrantFilter) {
  let page = await pageOfGrants(client, filter);
  const all = [...page];
  while (page.length === pageLength) {
    page = await pageOfGrants(client, { ...filter, before: page.at(-1)!.grant_id });
    all.push(...page);
  }
  return all;
}

function pageOfGrants(client: TributaryClient, filter: GrantFilter & { before?: number }) {
  const query = { ...filter, limit: pageLength };
  return answerOf(client.GET('/admin/v1/oauth-grants', { params: { query } }));
}
