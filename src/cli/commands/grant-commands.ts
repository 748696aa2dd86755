import type { Command } from 'commander';
import { ApiError, allRecords, answerOf, type TributaryClient } from '../../client/client.ts';
import { findCustomerId, findPartnerId, userPath } from '../connect/find-by-name.ts';
import { table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

interface ListOptions {
  readonly partner?: string;
  readonly customer?: string;
  readonly user?: string;
}

interface GrantFilter {
  readonly partner_id?: number;
  readonly customer_id?: number;
  readonly user_id?: number;
}

export function addGrantCommands(grant: Command, addAction: AddAction): void {
  addAction(
    grant
      .command('list')
      .description('list the grants, newest first')
      .option('--partner <partner>', "only a partner's apps (id or name)")
      .option('--customer <customer>', "only a customer's users (id or name)")
      .option('--user <user>', 'only one user (id, or e-mail with --customer)'),
    async (client, options: ListOptions) => {
      const grants = await allGrants(client, await filterOf(client, options));
      const rows = grants.map((each) => ({
        id: String(each.grant_id),
        app: each.app_name,
        partner: each.partner_name,
        user: each.email,
        customer: each.customer_name,
        since: time(each.created_at),
        'last used': time(each.last_used_at),
        until: time(each.expires_at),
      }));
      return { answer: grants, text: table(rows, 'There are no grants.') };
    },
  );

  addAction(
    grant
      .command('revoke <grant_id>')
      .description('stop an app from acting for a user, effective from the next request'),
    async (client, id: string) => {
      const path = { grant_id: id };
      await answerOf(client.DELETE('/admin/v1/oauth-grants/{grant_id}', { params: { path } }));
      return { answer: { revoked: Number(id) }, text: `Grant ${id} is revoked.` };
    },
  );
}

async function filterOf(client: TributaryClient, options: ListOptions): Promise<GrantFilter> {
  const { partner, customer, user } = options;
  return {
    ...(partner === undefined ? {} : { partner_id: await findPartnerId(client, partner) }),
    ...(customer === undefined ? {} : { customer_id: await findCustomerId(client, customer) }),
    ...(user === undefined ? {} : { user_id: await findUserId(client, user, customer) }),
  };
}

/** The API lists users by customer, so an e-mail needs the customer. */
async function findUserId(
  client: TributaryClient,
  user: string,
  customer: string | undefined,
): Promise<number> {
  if (customer !== undefined) return Number((await userPath(client, customer, user)).user_id);
  if (/^\d{1,15}$/.test(user)) return Number(user);
  throw new ApiError('a user is found by e-mail only together with --customer');
}

function allGrants(client: TributaryClient, filter: GrantFilter) {
  return allRecords((page) =>
    client.GET('/admin/v1/oauth-grants', {
      params: { query: { ...filter, ...page, limit: 1000 } },
    }),
  );
}
