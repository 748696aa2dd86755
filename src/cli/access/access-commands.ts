import type { Command } from 'commander';
import { ApiError, answerOf, type TributaryClient } from '../../client/client.ts';
import type { AddAction, Outcome } from '../commands/add-action.ts';
import { customerPath, partnerPath } from '../connect/find-by-name.ts';
import { count, time } from '../output/print.ts';

interface Confirmation {
  readonly yes?: boolean;
}

export function addPartnerAccessCommands(partner: Command, addAction: AddAction): void {
  addAction(
    partner
      .command('disable <partner>')
      .description('refuse its credentials, end its sessions and cancel its jobs'),
    async (client, idOrName: string) => {
      const path = await partnerPath(client, idOrName);
      const held = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/holdings', { params: { path } }),
      );
      await setPartner(client, path, true);
      return disabledOutcome(idOrName, held);
    },
  );

  addAction(
    partner.command('enable <partner>').description('accept its credentials again'),
    async (client, idOrName: string) => {
      await setPartner(client, await partnerPath(client, idOrName), false);
      return enabledOutcome(idOrName);
    },
  );

  addAction(
    partner
      .command('remove <partner>')
      .description('delete a partner and everything it has')
      .option('--yes', 'do it; without this, only show what would be deleted'),
    async (client, idOrName: string, { yes = false }: Confirmation) => {
      const path = await partnerPath(client, idOrName);
      const held = await answerOf(
        client.GET('/admin/v1/partners/{partner_id}/holdings', { params: { path } }),
      );
      if (!yes) throw unconfirmed(idOrName, held);
      const answer = await answerOf(
        client.DELETE('/admin/v1/partners/{partner_id}', { params: { path } }),
      );
      return removedOutcome(idOrName, answer);
    },
  );
}

export function addCustomerAccessCommands(customer: Command, addAction: AddAction): void {
  addAction(
    customer
      .command('disable <customer>')
      .description('refuse its users and tokens, end its sessions and cancel loads for it'),
    async (client, idOrName: string) => {
      const path = await customerPath(client, idOrName);
      const held = await answerOf(
        client.GET('/admin/v1/customers/{customer_id}/holdings', { params: { path } }),
      );
      await setCustomer(client, path, true);
      return disabledOutcome(idOrName, held);
    },
  );

  addAction(
    customer.command('enable <customer>').description('accept its users and tokens again'),
    async (client, idOrName: string) => {
      await setCustomer(client, await customerPath(client, idOrName), false);
      return enabledOutcome(idOrName);
    },
  );

  addAction(
    customer
      .command('remove <customer>')
      .description('delete a customer, its users, and the audiences loaded for it')
      .option('--yes', 'do it; without this, only show what would be deleted'),
    async (client, idOrName: string, { yes = false }: Confirmation) => {
      const path = await customerPath(client, idOrName);
      const held = await answerOf(
        client.GET('/admin/v1/customers/{customer_id}/holdings', { params: { path } }),
      );
      if (!yes) throw unconfirmed(idOrName, held);
      const answer = await answerOf(
        client.DELETE('/admin/v1/customers/{customer_id}', { params: { path } }),
      );
      return removedOutcome(idOrName, answer);
    },
  );
}

function setPartner(client: TributaryClient, path: { partner_id: string }, disabled: boolean) {
  const params = { path };
  return answerOf(client.PATCH('/admin/v1/partners/{partner_id}', { params, body: { disabled } }));
}

function setCustomer(client: TributaryClient, path: { customer_id: string }, disabled: boolean) {
  const params = { path };
  return answerOf(
    client.PATCH('/admin/v1/customers/{customer_id}', { params, body: { disabled } }),
  );
}

function disabledOutcome(
  name: string,
  held: { readonly sessions: number; readonly open_jobs: number },
): Outcome {
  const text = `Disabled ${name}. Its credentials are refused. ${count(held.sessions)} sessions ended, and ${count(held.open_jobs)} jobs were cancelled.`;
  return { answer: { disabled: true, ...held }, text };
}

function enabledOutcome(name: string): Outcome {
  return { answer: { disabled: false }, text: `Enabled ${name}. Its credentials work again.` };
}

/** Removing cannot be undone, so without `--yes` it only says what would go. */
function unconfirmed(name: string, held: Readonly<Record<string, number>>): ApiError {
  const things = Object.entries(held)
    .filter(([, number]) => number > 0)
    .map(([thing, number]) => `${thing.replaceAll('_', ' ')}: ${count(number)}`);
  const what = things.length === 0 ? '' : ` with everything it has (${things.join(', ')})`;
  return new ApiError(
    `nothing was removed. This would delete ${name}${what} for good. To do it, add --yes`,
  );
}

function removedOutcome(
  name: string,
  answer: { readonly removed_at: string; readonly delete_by: string },
): Outcome {
  const text = `Removed ${name}. Its data is being deleted; the bytes of its devices leave the disk by ${time(answer.delete_by)}.`;
  return { answer, text };
}
