import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { emailKey } from '../../domain/email.ts';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { LinkedUser } from '../../records/access/password-links.ts';
import type { AttemptLimit } from '../../records/access/sign-in-attempts.ts';
import type { App } from '../server/app-types.ts';
import { type Audit, userActor } from '../server/audit.ts';
import { clientAddress, networkOf } from '../server/client-address.ts';
import { Timestamp } from '../server/wire.ts';
import { type LinkDependencies, sendLink } from './issue-link.ts';
import { refuseOtherSites, tooManyFailures } from './session.ts';
import { Email, NewPassword, Secret } from './sign-in.ts';

const linksPath = '/v1/console/password-links';
const Token = Secret('trib_link_…');

/** Links with which users choose their passwords, for users who are not signed in. */
export function registerPasswordLinks(
  app: App,
  deps: LinkDependencies & { readonly audit: Audit },
): void {
  const { records, sendMail, audit } = deps;
  const route = { onRequest: refuseOtherSites };
  const shared = { tags: ['Console'], security: [] };

  app.post(
    `${linksPath}/request`,
    {
      ...route,
      schema: {
        ...shared,
        operationId: 'requestPasswordLink',
        summary: 'Ask for a link to choose a new password',
        description: `If a user has this address, the service sends the link by e-mail. The response is the same if there is no such user. The link works once, for 24 hours. Earlier links stay valid until the user uses one. A user who has ${limits.passwordLinks.most} valid links gets no other one.`,
        body: Type.Object({ email: Email }, { additionalProperties: false }),
        response: { 202: Type.Null({ description: 'The link is sent if the user exists.' }) },
      },
    },
    async (request, reply) => {
      if (!sendMail) {
        throw new TributaryError(
          'forbidden',
          'This service does not send e-mail. Ask its operator for a link.',
        );
      }
      const { email } = request.body;
      const network = networkOf(clientAddress(request));
      await refuseBeyond(reply, [
        {
          subject: `password link for ${emailKey(email)} from ${network}`,
          maxFailures: limits.passwordLinkRequests.most,
          resetsOnSuccess: false,
        },
        {
          subject: `password links for ${network}`,
          maxFailures: limits.passwordLinksPerNetwork.most,
          resetsOnSuccess: false,
        },
      ]);
      // Not awaited: the time of the response must not show whether the user exists.
      void sendTo(email, request);
      return reply.code(202).send(null);
    },
  );

  app.post(
    `${linksPath}/check`,
    {
      ...route,
      schema: {
        ...shared,
        operationId: 'checkPasswordLink',
        summary: 'Check a link',
        description: 'Returns the user whose password the link sets. The link stays valid.',
        body: Type.Object({ token: Token }, { additionalProperties: false }),
        response: { 200: Type.Object({ email: Email, expires_at: Timestamp }) },
      },
    },
    async (request, reply) => {
      const { email, expiresAt } = await linkedUser(request, reply, request.body.token);
      reply.header('cache-control', 'no-store');
      return { email, expires_at: expiresAt.toISOString() };
    },
  );

  app.post(
    `${linksPath}/use`,
    {
      ...route,
      schema: {
        ...shared,
        operationId: 'usePasswordLink',
        summary: 'Choose a password with a link',
        description:
          "Sets the password, and ends all of the user's links and sessions. Connected apps stay connected.",
        body: Type.Object(
          { token: Token, new_password: NewPassword },
          { additionalProperties: false },
        ),
        response: { 204: Type.Null({ description: 'The password is set.' }) },
      },
    },
    async (request, reply) => {
      const { token, new_password } = request.body;
      const user = await linkedUser(request, reply, token);
      const { userId, email } = user;
      await records.inTransaction(async (tx) => {
        // First, because it locks the user: of two concurrent calls, one finds no link.
        await tx.users.setPassword(userId, new_password);
        if (!(await tx.passwordLinks.end(token))) throw invalidLink();
        await tx.passwordLinks.endAll(userId);
        await tx.consoleSessions.endAll({ kind: 'customer', userId }, null);
        const after = { email, has_new_password: true };
        await audit.add(tx, request, 204, { before: null, after }, userActor(user));
      });
      return reply.code(204).send(null);
    },
  );

  async function sendTo(email: string, request: FastifyRequest): Promise<void> {
    try {
      const user = await records.users.findActive(email);
      if (!user) return;
      const link = await records.inTransaction(async (tx) => {
        const created = await tx.passwordLinks.request(user.userId);
        const after = { email: user.email, has_new_link: true };
        if (created) await audit.add(tx, request, 202, { before: null, after }, userActor(user));
        return created;
      });
      if (!link) return;
      const { url } = await sendLink(deps, user, link, request.log);
      // Nobody has it, so it must not count against the user's next request.
      if (url !== null) await records.passwordLinks.end(link.token);
    } catch (err) {
      request.log.warn({ err }, 'password link not issued');
    }
  }

  /** Invalid links count as failed sign-ins of the network. */
  async function linkedUser(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
  ): Promise<LinkedUser> {
    const attempt = await records.signInAttempts.begin([
      {
        subject: `anybody from ${networkOf(clientAddress(request))}`,
        maxFailures: limits.networkSignInFailures.most,
        resetsOnSuccess: false,
      },
    ]);
    if (attempt.waitSeconds !== null) throw tooManyFailures(reply, attempt.waitSeconds);
    const user = await records.passwordLinks.find(token);
    if (!user) throw invalidLink();
    await attempt.succeed();
    return user;
  }

  async function refuseBeyond(reply: FastifyReply, most: readonly AttemptLimit[]): Promise<void> {
    const { waitSeconds } = await records.signInAttempts.begin(most);
    if (waitSeconds === null) return;
    reply.header('retry-after', waitSeconds);
    throw new TributaryError(
      'rate_limited',
      `Too many links were requested. Try again in ${Math.ceil(waitSeconds / 60)} min.`,
    );
  }
}

function invalidLink(): TributaryError {
  return new TributaryError(
    'not_found',
    'This link is invalid, expired or already used. Ask for a new one.',
  );
}
