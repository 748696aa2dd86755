import type { Command } from 'commander';
import { answerOf, type TributaryClient } from '../../client/client.ts';
import { customerPath, userPath } from '../connect/find-by-name.ts';
import { readNewPassword } from '../connect/read-password.ts';
import { card, table, time } from '../output/print.ts';
import type { AddAction } from './add-action.ts';

const passwordHelp = 'prompts for the password, or reads it from standard input';

interface UserChange {
  readonly body: { readonly password?: string; readonly disabled?: boolean };
  readonly outcome: string;
}

export function addUserCommands(user: Command, addAction: AddAction): void {
  addAction(
    user
      .command('create <customer> <email>')
      .description(`create a user of a customer (id or name); ${passwordHelp}`),
    async (client, customer: string, email: string) => {
      const path = await customerPath(client, customer);
      const password = await readNewPassword(process.stdin, process.stderr);
      const created = await answerOf(
        client.POST('/admin/v1/customers/{customer_id}/users', {
          params: { path },
          body: { email, password },
        }),
      );
      return { answer: created, text: card({ ...created, user_id: String(created.user_id) }) };
    },
  );

  addAction(
    user
      .command('invite <customer> <email>')
      .description('create a user, and a link to choose a password'),
    async (client, customer: string, email: string) => {
      const path = await customerPath(client, customer);
      const created = await answerOf(
        client.POST('/admin/v1/customers/{customer_id}/users', {
          params: { path },
          body: { email },
        }),
      );
      return linkOf(client, { ...path, user_id: String(created.user_id) });
    },
  );

  addAction(
    user
      .command('password-link <customer> <user>')
      .description('create a link for a user (id or e-mail) to choose a new password'),
    async (client, customer: string, idOrEmail: string) =>
      linkOf(client, await userPath(client, customer, idOrEmail)),
  );

  addAction(
    user.command('list <customer>').description("list a customer's users"),
    async (client, customer: string) => {
      const path = await customerPath(client, customer);
      const users = await answerOf(
        client.GET('/admin/v1/customers/{customer_id}/users', { params: { path } }),
      );
      const rows = users.map((each) => ({
        id: String(each.user_id),
        email: each.email,
        'may sign in': each.is_disabled ? 'no' : 'yes',
        created: time(each.created_at),
        'last sign-in': time(each.last_sign_in_at),
      }));
      return { answer: users, text: table(rows, 'The customer has no users.') };
    },
  );

  addChange(
    'disable',
    'prevent a user from signing in, and end their sessions and password links',
    async () => ({
      body: { disabled: true },
      outcome: 'is disabled',
    }),
  );

  addChange('enable', 'let a user sign in again', async () => ({
    body: { disabled: false },
    outcome: 'may sign in again',
  }));

  addChange('set-password', `set a new password; ${passwordHelp}`, async () => ({
    body: { password: await readNewPassword(process.stdin, process.stderr) },
    outcome: 'has a new password, and their sessions are ended; connected apps stay connected',
  }));

  addAction(
    user
      .command('remove <customer> <user>')
      .description('remove a user (id or e-mail) and end their sessions'),
    async (client, customer: string, idOrEmail: string) => {
      const path = await userPath(client, customer, idOrEmail);
      await answerOf(
        client.DELETE('/admin/v1/customers/{customer_id}/users/{user_id}', { params: { path } }),
      );
      const id = path.user_id;
      return { answer: { removed: Number(id) }, text: `User ${id} is removed.` };
    },
  );

  function addChange(name: string, description: string, read: () => Promise<UserChange>): void {
    addAction(
      user
        .command(`${name} <customer> <user>`)
        .description(`${description} (user by id or e-mail)`),
      async (client, customer: string, idOrEmail: string) => {
        const path = await userPath(client, customer, idOrEmail);
        const { body, outcome } = await read();
        await answerOf(
          client.PATCH('/admin/v1/customers/{customer_id}/users/{user_id}', {
            params: { path },
            body,
          }),
        );
        const id = path.user_id;
        return { answer: { changed: Number(id) }, text: `User ${id} ${outcome}.` };
      },
    );
  }
}

/** Creates a link, and says whether it was sent or is to be handed over. */
async function linkOf(client: TributaryClient, path: { customer_id: string; user_id: string }) {
  const link = await answerOf(
    client.POST('/admin/v1/customers/{customer_id}/users/{user_id}/password-link', {
      params: { path },
    }),
  );
  const { mailed_to, url, mail_problem, expires_at } = link;
  const text = card({
    user_id: path.user_id,
    'sent to': mailed_to,
    ...(mail_problem !== null && { 'mail problem': mail_problem }),
    ...(url !== null && { link: url }),
    'valid until': time(expires_at),
  });
  return { answer: link, text };
}
