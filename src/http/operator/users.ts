import { Type } from 'typebox';
import type { User } from '../../records/access/users.ts';
import type { Records } from '../../records/records.ts';
import { Email, NewPassword } from '../console/sign-in.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, Nullable, PathId, parseId, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];
const CustomerPath = Type.Object({ customer_id: PathId('Which customer.') });
const UserPath = Type.Object({
  customer_id: PathId('Which customer.'),
  user_id: PathId('Which of its users.'),
});

const UserMembers = { user_id: Id('The user.'), email: Email };

export function registerAdminUsers(app: App, records: Records, auth: Auth): void {
  app.post(
    '/admin/v1/customers/:customer_id/users',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createUser',
        summary: 'Create a user',
        description:
          "Who can sign in to the console and see the customer's audiences. Of the password only a hash is stored (argon2id).",
        params: CustomerPath,
        body: Type.Object({ email: Email, password: NewPassword }, { additionalProperties: false }),
        response: { 201: Type.Object(UserMembers, { description: 'Created.' }) },
      },
    },
    async (request, reply) => {
      const customerId = await existingCustomer(request.params.customer_id);
      const { email, password } = request.body;
      const user = await records.users.create(customerId, email, password);
      reply.code(201);
      return onTheWire(user);
    },
  );

  app.get(
    '/admin/v1/customers/:customer_id/users',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listUsers',
        summary: 'List users',
        params: CustomerPath,
        response: {
          200: Type.Array(
            Type.Object({
              ...UserMembers,
              is_disabled: Type.Boolean({ examples: [false] }),
              created_at: Timestamp,
              last_sign_in_at: Nullable(Timestamp, { description: 'Null if never.' }),
            }),
          ),
        },
      },
    },
    async (request) => {
      const customerId = await existingCustomer(request.params.customer_id);
      const users = await records.users.list(customerId);
      return users.map((user) => ({
        ...onTheWire(user),
        is_disabled: user.isDisabled,
        created_at: user.createdAt.toISOString(),
        last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
      }));
    },
  );

  app.patch(
    '/admin/v1/customers/:customer_id/users/:user_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'changeUser',
        summary: 'Change a user',
        description:
          'Sets a new password, or whether the user may sign in. Their sessions end. While the user is disabled, the tokens of apps that act for them are refused; a new password leaves those as they are.',
        params: UserPath,
        body: Type.Object(
          {
            password: Type.Optional(NewPassword),
            disabled: Type.Optional(Type.Boolean({ examples: [true] })),
          },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 204: Type.Null({ description: 'Changed.' }) },
      },
    },
    async (request, reply) => {
      const customerId = parseId(request.params.customer_id, 'user');
      const userId = parseId(request.params.user_id, 'user');
      const { password, disabled } = request.body;
      await records.inTransaction(async ({ users, consoleSessions }) => {
        found(await users.find(customerId, userId), 'user');
        if (password !== undefined) await users.setPassword(userId, password);
        if (disabled !== undefined) await users.setDisabled(userId, disabled);
        await consoleSessions.endAll({ kind: 'customer', userId }, null);
      });
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/admin/v1/customers/:customer_id/users/:user_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'removeUser',
        summary: 'Remove a user',
        description: 'Their sessions end, and so does what apps were allowed.',
        params: UserPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      const customerId = parseId(request.params.customer_id, 'user');
      const userId = parseId(request.params.user_id, 'user');
      found((await records.users.remove(customerId, userId)) || undefined, 'user');
      return reply.code(204).send(null);
    },
  );

  async function existingCustomer(text: string): Promise<number> {
    const customer = await records.customers.find(parseId(text, 'customer'));
    return found(customer, 'customer').customerId;
  }
}

function onTheWire({ userId, email }: User) {
  return { user_id: userId, email };
}
