import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { User } from '../../records/access/users.ts';
import type { Records } from '../../records/records.ts';
import { type LinkDependencies, sendLink } from '../console/issue-link.ts';
import { Email, NewPassword } from '../console/sign-in.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, Nullable, PathId, parseId, Timestamp } from '../server/wire.ts';
import { CustomerParams, customerPath, existingCustomer } from './customer-path.ts';
import { operatorRoute } from './operator-route.ts';

const usersPath = `${customerPath}/users`;
const userPath = `${usersPath}/:user_id`;
const UserParams = Type.Object({
  ...CustomerParams.properties,
  user_id: PathId("One of the customer's users."),
});

const UserMembers = { user_id: Id('The user.'), email: Email };

const PasswordLinkMembers = {
  purpose: Type.Enum(['invitation', 'reset'], { examples: ['invitation'] }),
  expires_at: Timestamp,
  mailed_to: Nullable(Email, { description: 'Null if no e-mail was sent.' }),
  url: Nullable(Type.String(), {
    description: 'Shown only this once. Null if the link was sent by e-mail.',
    examples: [null],
  }),
  mail_problem: Nullable(Type.String(), {
    description: 'Why the e-mail could not be sent. Null if it was sent, or no server is set up.',
    examples: [null],
  }),
};

const ListQuery = Type.Object(pageQuery({ records: 'users', id: 'user_id', byDefault: null }), {
  additionalProperties: false,
});

export function registerAdminUsers(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
  links: LinkDependencies,
): void {
  app.post(
    usersPath,
    operatorRoute(auth, {
      operationId: 'createUser',
      summary: 'Create a user',
      description:
        "The user can sign in to the console and see the customer's audiences. The service stores only an argon2id hash of the password. Without a password, the user chooses one with a link: see `createPasswordLink`.",
      params: CustomerParams,
      body: Type.Object(
        { email: Email, password: Type.Optional(NewPassword) },
        { additionalProperties: false },
      ),
      response: { 201: Type.Object(UserMembers, { description: 'Created.' }) },
    }),
    async (request, reply) => {
      const { customerId } = await existingCustomer(records, request.params);
      const { email, password } = request.body;
      const user = await records.users.create(customerId, email, password);
      noteChange(request, { after: userOnTheWire(user) });
      reply.code(201);
      return userOnTheWire(user);
    },
  );

  app.get(
    usersPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listUsers',
        summary: 'List users',
        params: CustomerParams,
        querystring: ListQuery,
        response: {
          200: Type.Array(
            Type.Object({
              ...UserMembers,
              is_disabled: Type.Boolean({ examples: [false] }),
              created_at: Timestamp,
              last_sign_in_at: Nullable(Timestamp, { description: 'Null if never.' }),
            }),
            { headers: pageHeaders },
          ),
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { customerId } = await existingCustomer(records, request.params);
      return sendList(request, reply, {
        read: (page) => records.users.list(customerId, page),
        row: (user) => ({
          ...userOnTheWire(user),
          is_disabled: user.isDisabled,
          created_at: user.createdAt.toISOString(),
          last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
        }),
        key: ({ userId }) => userId,
        byDefault: null,
      });
    },
  );

  app.patch(
    userPath,
    operatorRoute(auth, {
      operationId: 'changeUser',
      summary: 'Change a user',
      description:
        "Sets a new password, or disables or enables the user. The user's sessions end, and password links as well unless the user is only enabled. While a user is disabled, the tokens of apps that act for the user are refused. A new password does not affect those tokens.",
      params: UserParams,
      body: Type.Object(
        {
          password: Type.Optional(NewPassword),
          disabled: Type.Optional(Type.Boolean({ examples: [true] })),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { 204: Type.Null({ description: 'Changed.' }) },
    }),
    async (request, reply) => {
      const { customerId, userId } = idsOf(request.params);
      const { password, disabled } = request.body;
      await records.inTransaction(async ({ users, passwordLinks, consoleSessions }) => {
        const { email, isDisabled } = found(await users.find(customerId, userId), 'user');
        noteChange(request, {
          before: { email, disabled: isDisabled },
          after: {
            email,
            disabled: disabled ?? isDisabled,
            has_new_password: password !== undefined,
          },
        });
        if (password !== undefined) await users.setPassword(userId, password);
        if (disabled !== undefined) await users.setDisabled(userId, disabled);
        if (password !== undefined || disabled) await passwordLinks.endAll(userId);
        await consoleSessions.endAll({ kind: 'customer', userId }, null);
      });
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${userPath}/password-link`,
    operatorRoute(auth, {
      operationId: 'createPasswordLink',
      summary: 'Create a link to choose a password',
      description: `An invitation if the user has never signed in, valid for 7 days; otherwise a reset, valid for 24 hours. The link works once. Earlier links stay valid until the user uses one; beyond ${limits.passwordLinks.most} links, the new one replaces the oldest. If \`TRIBUTARY_SMTP_URL\` is set, the service sends it to the user. Otherwise, or if that fails, give \`url\` to the user.`,
      params: UserParams,
      response: { 201: Type.Object(PasswordLinkMembers, { description: 'Created.' }) },
    }),
    async (request, reply) => {
      const { customerId, userId } = idsOf(request.params);
      const user = found(await records.users.find(customerId, userId), 'user');
      const isNew = user.lastSignInAt === null;
      const link = await records.passwordLinks.create(userId, isNew ? 'invitation' : 'reset');
      const { url, mailProblem } = await sendLink(links, user, link, request.log);
      noteChange(request, {
        after: { email: user.email, has_new_link: true, is_mailed: url === null },
      });
      reply.code(201).header('cache-control', 'no-store');
      return {
        purpose: link.purpose,
        expires_at: link.expiresAt.toISOString(),
        mailed_to: url === null ? user.email : null,
        url,
        mail_problem: mailProblem,
      };
    },
  );

  app.delete(
    userPath,
    operatorRoute(auth, {
      operationId: 'removeUser',
      summary: 'Remove a user',
      description: "Ends the user's sessions and revokes the grants the user gave to apps.",
      params: UserParams,
      response: { 204: Type.Null({ description: 'Removed.' }) },
    }),
    async (request, reply) => {
      const { customerId, userId } = idsOf(request.params);
      const user = found(await records.users.find(customerId, userId), 'user');
      found(await records.users.remove(customerId, userId), 'user');
      noteChange(request, { before: userOnTheWire(user) });
      return reply.code(204).send(null);
    },
  );
}

function idsOf(params: { readonly customer_id: string; readonly user_id: string }) {
  return {
    customerId: parseId(params.customer_id, 'user'),
    userId: parseId(params.user_id, 'user'),
  };
}

function userOnTheWire({ userId, email }: User) {
  return { user_id: userId, email };
}
