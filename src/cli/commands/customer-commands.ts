import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { customerPath } from '../connect/find-by-name.ts';
import { accessText } from '../output/access-text.ts';
import { card, table, time, withWarnings } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

export function addCustomerCommands(customer: Command, addAction: AddAction): void {
  addAction(
    customer.command('create <name>').description('create a customer'),
    async (client, name: string) => {
      const answer = await answerOf(client.POST('/admin/v1/customers', { body: { name } }));
      const { warnings, ...created } = answer;
      const id = String(created.customer_id);
      const next = `Let a partner act for it: tributary user-token create <partner> ${id}`;
      const text = `${card({ ...created, customer_id: id })}\n\n${next}`;
      return { answer, text: withWarnings(warnings, text) };
    },
  );

  addAction(
    customer
      .command('update <customer>')
      .description('rename a customer (id or name)')
      .requiredOption('--name <name>', 'its new name'),
    async (client, idOrName: string, { name }: { readonly name: string }) => {
      const path = await customerPath(client, idOrName);
      const body = { name };
      await answerOf(client.PATCH('/admin/v1/customers/{customer_id}', { params: { path }, body }));
      return { answer: { name }, text: `Customer ${path.customer_id} is now ${name}.` };
    },
  );

  addAction(customer.command('list').description('list all customers'), async (client) => {
    const customers = await answerOf(client.GET('/admin/v1/customers'));
    const rows = customers.map((each) => ({
      id: String(each.customer_id),
      name: each.name,
      created: time(each.created_at),
      access: accessText(each),
    }));
    return { answer: customers, text: table(rows, 'There are no customers yet.') };
  });
}
