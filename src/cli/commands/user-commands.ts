import type { Command } from 'commander';
import { answerOf } from '../../client/client.ts';
import { type Connect, findCustomerId, findUser } from '../connect/connection.ts';
import { readNewPassword } from '../connect/read-password.ts';
import { card, type OutputOptions, print, table } from '../output/print.ts';

const askedFor = 'the password is asked for, or read from standard input';

export function addUserCommands(program: Command, connect: Connect): void {
  const user = program
    .command('user')
    .description("customers' users, who sign in to the console with e-mail and password");

  user
    .command('create <customer> <email>')
    .description(`let somebody sign in for a customer, by id or name; ${askedFor}`)
    .option('--json', 'print JSON')
    .action(async (customer: string, email: string, options: OutputOptions) => {
      const client = await connect();
      const path = { customer_id: String(await findCustomerId(client, customer)) };
      const password = await readNewPassword(process.stdin, process.stderr);
      const created = await answerOf(
        client.POST('/admin/v1/customers/{customer_id}/users', {
          params: { path },
          body: { email, password },
        }),
      );
      print(created, card({ ...created, user_id: String(created.user_id) }), options);
    });

  user
    .command('list <customer>')
    .description("list a customer's users")
    .option('--json', 'print JSON')
    .action(async (customer: string, options: OutputOptions) => {
      const client = await connect();
      const path = { customer_id: String(await findCustomerId(client, customer)) };
      const users = await answerOf(
        client.GET('/admin/v1/customers/{customer_id}/users', { params: { path } }),
      );
      const rows = users.map((each) => ({
        id: String(each.user_id),
        email: each.email,
        'may sign in': each.is_disabled ? 'no' : 'yes',
        created: each.created_at,
        'last sign-in': each.last_sign_in_at,
      }));
      print(users, table(rows, 'The customer has no users.'), options);
    });

  addChange('disable', 'keep somebody from signing in, and end their sessions', async () => ({
    body: { disabled: true },
    outcome: 'is disabled',
  }));

  addChange('enable', 'let somebody sign in again', async () => ({
    body: { disabled: false },
    outcome: 'may sign in again',
  }));

  addChange('set-password', `give somebody a new password; ${askedFor}`, async () => ({
    body: { password: await readNewPassword(process.stdin, process.stderr) },
    outcome: 'has a new password, and their sessions are ended',
  }));

  user
    .command('remove <customer> <user>')
    .description('remove somebody, by id or e-mail, and end their sessions')
    .option('--json', 'print JSON')
    .action(async (customer: string, who: string, options: OutputOptions) => {
      const client = await connect();
      const path = await findUser(client, customer, who);
      await answerOf(
        client.DELETE('/admin/v1/customers/{customer_id}/users/{user_id}', { params: { path } }),
      );
      print({ removed: Number(path.user_id) }, `User ${path.user_id} is removed.`, options);
    });

  function addChange(name: string, description: string, ask: () => Promise<UserChange>): void {
    user
      .command(`${name} <customer> <user>`)
      .description(`${description}; the user by id or e-mail`)
      .option('--json', 'print JSON')
      .action(async (customer: string, who: string, options: OutputOptions) => {
        const client = await connect();
        const path = await findUser(client, customer, who);
        const { body, outcome } = await ask();
        await answerOf(
          client.PATCH('/admin/v1/customers/{customer_id}/users/{user_id}', {
            params: { path },
            body,
          }),
        );
        const changed = { changed: Number(path.user_id) };
        print(changed, `User ${path.user_id} ${outcome}.`, options);
      });
  }
}

interface UserChange {
  readonly body: { readonly password?: string; readonly disabled?: boolean };
  readonly outcome: string;
}
