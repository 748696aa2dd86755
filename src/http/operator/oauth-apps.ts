import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { redirectAddressFault } from '../../domain/redirect-address.ts';
import type { OauthApp } from '../../records/access/oauth-apps.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { invalidRequest } from '../server/problems.ts';
import { found, Nullable, nameOf, oneLine, PathId, parseId, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];
const PartnerPath = Type.Object({ partner_id: PathId('Which partner.') });
const AppPath = Type.Object({
  partner_id: PathId('Which partner.'),
  client_id: Type.String({ description: 'Which of its apps.', examples: ['app_…'] }),
});

const ClientId = Type.String({ description: 'The app, as OAuth calls it.', examples: ['app_…'] });
const Kind = Type.Enum(['confidential', 'public'], {
  description:
    'Confidential: it runs on a server and can keep a secret. Public: it runs in a browser or on a device, and has none.',
  examples: ['confidential'],
});
const AppName = nameOf('What users are shown', 'Audience Loader');
const RedirectUris = Type.Array(Type.String({ minLength: 1, maxLength: 2000, pattern: oneLine }), {
  minItems: 1,
  maxItems: 10,
  uniqueItems: true,
  description:
    'Where the browser may be sent back to, each compared letter by letter: https, or http on localhost, 127.0.0.1 or [::1]; no fragment, no wildcard.',
  examples: [['https://app.acme.example/callback']],
});

export function registerAdminOauthApps(app: App, records: Records, auth: Auth): void {
  app.post(
    '/admin/v1/partners/:partner_id/oauth-apps',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createOauthApp',
        summary: 'Create an OAuth app',
        description:
          'With which the partner acts for users who allow it. The secret is shown this once; only a hash of it is stored.',
        params: PartnerPath,
        body: Type.Object(
          { name: AppName, kind: Kind, redirect_uris: RedirectUris },
          { additionalProperties: false },
        ),
        response: {
          201: Type.Object(
            {
              client_id: ClientId,
              client_secret: Nullable(Type.String(), {
                description: 'Null for a public app.',
                examples: ['trib_client_…'],
              }),
            },
            { description: 'Created.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const partnerId = await existingPartner(request.params.partner_id);
      const { name, kind, redirect_uris } = request.body;
      refuseFaulty(redirect_uris);
      const made = await records.oauthApps.create(partnerId, {
        name,
        kind,
        redirectUris: redirect_uris,
      });
      reply.code(201);
      return { client_id: made.clientId, client_secret: made.clientSecret };
    },
  );

  app.get(
    '/admin/v1/partners/:partner_id/oauth-apps',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listOauthApps',
        summary: 'List OAuth apps',
        description: 'Without the secrets.',
        params: PartnerPath,
        response: {
          200: Type.Array(
            Type.Object({
              client_id: ClientId,
              name: Type.String({ examples: ['Audience Loader'] }),
              kind: Kind,
              redirect_uris: Type.Array(Type.String(), {
                examples: [['https://app.acme.example/callback']],
              }),
              is_disabled: Type.Boolean({ examples: [false] }),
              created_at: Timestamp,
            }),
          ),
        },
      },
    },
    async (request) => {
      const partnerId = await existingPartner(request.params.partner_id);
      const apps = await records.oauthApps.list(partnerId);
      return apps.map((each) => ({
        client_id: each.clientId,
        name: each.name,
        kind: each.secretHash === null ? ('public' as const) : ('confidential' as const),
        redirect_uris: [...each.redirectUris],
        is_disabled: each.isDisabled,
        created_at: each.createdAt.toISOString(),
      }));
    },
  );

  app.patch(
    '/admin/v1/partners/:partner_id/oauth-apps/:client_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'changeOauthApp',
        summary: 'Change an OAuth app',
        description:
          'While it is disabled it can do nothing, and its tokens are refused from the next request on.',
        params: AppPath,
        body: Type.Object(
          {
            name: Type.Optional(AppName),
            redirect_uris: Type.Optional(RedirectUris),
            disabled: Type.Optional(Type.Boolean({ examples: [true] })),
          },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 204: Type.Null({ description: 'Changed.' }) },
      },
    },
    async (request, reply) => {
      const { clientId } = await existingApp(request.params);
      const { name, redirect_uris, disabled } = request.body;
      refuseFaulty(redirect_uris ?? []);
      await records.oauthApps.change(clientId, {
        ...(name === undefined ? {} : { name }),
        ...(redirect_uris === undefined ? {} : { redirectUris: redirect_uris }),
        ...(disabled === undefined ? {} : { isDisabled: disabled }),
      });
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/admin/v1/partners/:partner_id/oauth-apps/:client_id/secret',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'rotateOauthAppSecret',
        summary: "Replace an OAuth app's secret",
        description:
          'The one before is refused from the next request on; tokens stay valid. The new one is shown this once.',
        params: AppPath,
        response: {
          201: Type.Object(
            { client_secret: Type.String({ examples: ['trib_client_…'] }) },
            { description: 'Created.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const { clientId, secretHash } = await existingApp(request.params);
      if (secretHash === null) throw invalidInput('', 'A public app has no secret.');
      const client_secret = await records.oauthApps.rotateSecret(clientId);
      reply.code(201);
      return { client_secret };
    },
  );

  app.delete(
    '/admin/v1/partners/:partner_id/oauth-apps/:client_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'removeOauthApp',
        summary: 'Remove an OAuth app',
        description: 'What users have allowed it, and its tokens, go with it.',
        params: AppPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      const { clientId } = await existingApp(request.params);
      await records.oauthApps.remove(clientId);
      return reply.code(204).send(null);
    },
  );

  async function existingPartner(text: string): Promise<number> {
    const partner = await records.partners.find(parseId(text, 'partner'));
    return found(partner, 'partner').partnerId;
  }

  async function existingApp(path: { partner_id: string; client_id: string }): Promise<OauthApp> {
    const partnerId = parseId(path.partner_id, 'app');
    const known = await records.oauthApps.find(path.client_id);
    return found(known?.partnerId === partnerId ? known : undefined, 'app');
  }
}

function refuseFaulty(redirectUris: readonly string[]): void {
  const issues = redirectUris.flatMap((address, index) => {
    const message = redirectAddressFault(address);
    return message === undefined ? [] : [{ pointer: `/redirect_uris/${index}`, message }];
  });
  if (issues.length > 0) throw invalidRequest(issues);
}
