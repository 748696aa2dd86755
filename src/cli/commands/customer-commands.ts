import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import type { Connect } from '../connect/connection.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

export function addCustomerCommands(program: Command, connect: Connect): void {
  const customer = program
    .command('customer')
    .description('on whose behalf partners load audiences');

  customer
    .command('create <name>')
    .description('create a customer')
    .option('--json', 'print JSON')
    .action(async (name: string, options: OutputOptions) => {
      const client = await connect();
      const created = await answerOf(client.POST('/admin/v1/customers', { body: { name } }));
      const id = String(created.customer_id);
      const next = `Let a partner act for it: tributary user-token create <partner> ${id}`;
      print(created, `${card({ ...created, customer_id: id })}\n\n${next}`, options);
    });

  customer
    .command('list')
    .description('list customers')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const client = await connect();
      const customers = await answerOf(client.GET('/admin/v1/customers'));
      const rows = customers.map((each) => ({
        id: String(each.customer_id),
        name: each.name,
        created: each.created_at,
      }));
      print(customers, table(rows, 'There are no customers yet.'), options);
    });
}
