import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { redirectAddressFault } from '../../domain/redirect-address.ts';
import type { OauthApp } from '../../records/access/oauth-apps.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { invalidRequest } from '../server/problems.ts';
import {
  DisplayName,
  found,
  Nullable,
  noControlCharacters,
  parseId,
  Timestamp,
} from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';

const appsPath = `${partnerPath}/oauth-apps`;
const appPath = `${appsPath}/:client_id`;
const AppParams = Type.Object({
  ...PartnerParams.properties,
  client_id: Type.String({ description: "One of the partner's apps.", examples: ['app_…'] }),
});

const ClientId = Type.String({ description: 'The OAuth client id.', examples: ['app_…'] });
const Kind = Type.Enum(['confidential', 'public'], {
  description:
    'A confidential app runs on a server and can keep a secret. A public app runs in a browser or on a device and has no secret.',
  examples: ['confidential'],
});
const AppName = DisplayName('Name shown to users', 'Audience Loader');
const RedirectUris = Type.Array(
  Type.String({ minLength: 1, maxLength: 2000, pattern: noControlCharacters }),
  {
    minItems: 1,
    maxItems: limits.redirectAddresses.most,
    uniqueItems: true,
    description:
      'Addresses the browser may be sent back to, compared exactly. Each must be https, or http on localhost, 127.0.0.1 or [::1], without a fragment or wildcard.',
    examples: [['https://app.acme.example/callback']],
  },
);

export function registerAdminOauthApps(app: App, records: Records, auth: Auth): void {
  app.post(
    appsPath,
    operatorRoute(auth, {
      operationId: 'createOauthApp',
      summary: 'Create an OAuth app',
      description:
        'The partner uses the app to act for users who allow it. The secret is returned only in this response; the service stores only its hash.',
      params: PartnerParams,
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
    }),
    async (request, reply) => {
      const { partnerId } = await existingPartner(records, request.params);
      const { name, kind, redirect_uris } = request.body;
      refuseInvalid(redirect_uris);
      const { clientId, clientSecret } = await records.oauthApps.create(partnerId, {
        name,
        kind,
        redirectUris: redirect_uris,
      });
      noteChange(request, { after: { client_id: clientId, name, kind, redirect_uris } });
      reply.code(201);
      return { client_id: clientId, client_secret: clientSecret };
    },
  );

  app.get(
    appsPath,
    operatorRoute(auth, {
      operationId: 'listOauthApps',
      summary: 'List OAuth apps',
      description: 'Without their secrets.',
      params: PartnerParams,
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
    }),
    async (request) => {
      const { partnerId } = await existingPartner(records, request.params);
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
    appPath,
    operatorRoute(auth, {
      operationId: 'changeOauthApp',
      summary: 'Change an OAuth app',
      description:
        'While an app is disabled, it cannot get tokens, and the tokens it has are refused from the next request on.',
      params: AppParams,
      body: Type.Object(
        {
          name: Type.Optional(AppName),
          redirect_uris: Type.Optional(RedirectUris),
          disabled: Type.Optional(Type.Boolean({ examples: [true] })),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { 204: Type.Null({ description: 'Changed.' }) },
    }),
    async (request, reply) => {
      const before = await existingApp(request.params);
      const { clientId } = before;
      const { name, redirect_uris, disabled } = request.body;
      refuseInvalid(redirect_uris ?? []);
      noteChange(request, {
        before: auditedApp(before),
        after: { ...auditedApp(before), ...request.body },
      });
      await records.oauthApps.change(clientId, {
        ...(name === undefined ? {} : { name }),
        ...(redirect_uris === undefined ? {} : { redirectUris: redirect_uris }),
        ...(disabled === undefined ? {} : { isDisabled: disabled }),
      });
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${appPath}/secret`,
    operatorRoute(auth, {
      operationId: 'rotateOauthAppSecret',
      summary: "Replace an OAuth app's secret",
      description:
        'The previous secret is refused from the next request on; tokens stay valid. The new secret is returned only in this response.',
      params: AppParams,
      response: {
        201: Type.Object(
          { client_secret: Type.String({ examples: ['trib_client_…'] }) },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const { clientId, secretHash } = await existingApp(request.params);
      if (secretHash === null) throw invalidInput('', 'A public app has no secret.');
      const client_secret = await records.oauthApps.rotateSecret(clientId);
      noteChange(request, { after: { client_id: clientId, has_new_secret: true } });
      reply.code(201);
      return { client_secret };
    },
  );

  app.delete(
    appPath,
    operatorRoute(auth, {
      operationId: 'removeOauthApp',
      summary: 'Remove an OAuth app',
      description: 'Also removes its grants and tokens.',
      params: AppParams,
      response: { 204: Type.Null({ description: 'Removed.' }) },
    }),
    async (request, reply) => {
      const removed = await existingApp(request.params);
      await records.oauthApps.remove(removed.clientId);
      noteChange(request, { before: { client_id: removed.clientId, ...auditedApp(removed) } });
      return reply.code(204).send(null);
    },
  );

  async function existingApp(params: { partner_id: string; client_id: string }): Promise<OauthApp> {
    const partnerId = parseId(params.partner_id, 'app');
    const known = await records.oauthApps.find(params.client_id);
    return found(known?.partnerId === partnerId && known, 'app');
  }
}

function auditedApp({ name, redirectUris, isDisabled }: OauthApp) {
  return { name, redirect_uris: redirectUris, disabled: isDisabled };
}

function refuseInvalid(redirectUris: readonly string[]): void {
  const issues = redirectUris.flatMap((address, index) => {
    const message = redirectAddressFault(address);
    return message === undefined ? [] : [{ pointer: `/redirect_uris/${index}`, message }];
  });
  if (issues.length > 0) throw invalidRequest(issues);
}
