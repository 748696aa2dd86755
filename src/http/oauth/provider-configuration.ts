import {
  type Client,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { Logger } from 'pino';
import type { OauthKey } from '../../records/access/oauth-keys.ts';
import type { BrowserMark } from './browser-mark.ts';
import { audiencesScope } from './client-metadata.ts';
import { renderErrorPage } from './error-page.ts';
import type { JointRecords } from './joint-records.ts';
import type { NetworkLimits } from './network-limits.ts';
import { oauthPaths } from './paths.ts';
import { createStateAdapter } from './state-adapter.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export interface ProviderParts {
  readonly records: JointRecords;
  readonly publicUrl: string;
  readonly browserMark: BrowserMark;
  readonly limits: NetworkLimits;
}

/** How the library is to behave: the code flow with PKCE, and nothing besides. */
export function providerConfiguration(
  { records, publicUrl, browserMark }: ProviderParts,
  keys: readonly OauthKey[],
  log: Logger,
): Configuration {
  const { metadata: _, ...routes } = oauthPaths;
  return {
    adapter: createStateAdapter(records, log),
    routes,
    jwks: { keys: keys.map(({ kid, privateKey }) => ({ ...privateKey, kid, use: 'sig' })) },
    cookies: {
      keys: keys.map(({ cookieKey }) => cookieKey),
      names: {
        session: unusedCookies.session,
        interaction: unusedCookies.interaction,
        resume: 'tributary-authorization',
      },
    },
    responseTypes: ['code'],
    scopes: [audiencesScope],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientBasedCORS: isOwnOrigin,
    extraParams: { scope: settleScope },
    interactions: {
      policy: [alwaysAsk(browserMark)],
      url: (_ctx, interaction) => `${publicUrl}/console/authorize/${interaction.uid}`,
    },
    async findAccount(_ctx, accountId) {
      if (!(await records.current().users.isActive(Number(accountId)))) return undefined;
      return { accountId, claims: () => ({ sub: accountId }) };
    },
    // A token is good for its time, whoever signs in or out of anything meanwhile.
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    // Whoever revokes any of its tokens gives up the whole.
    revokeGrantPolicy: () => true,
    ttl: {
      Interaction: hour,
      // Until the code is there, and what is issued for that prolongs it.
      Grant: 10 * minute,
      AuthorizationCode: minute,
      AccessToken: 15 * minute,
      RefreshToken: 30 * day,
      Session: minute,
    },
    renderError: renderErrorPage,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) =>
          token.clientId === client.clientId &&
          'accountId' in token &&
          records.current().users.isActive(Number(token.accountId)),
      },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
  };
}

/**
 * Cookies of the library's that no browser is sent. Its own session lasts for one request, and which
 * authorization our page is about is said by its address.
 */
export const unusedCookies = {
  session: 'tributary-unused-session',
  interaction: 'tributary-unused-interaction',
} as const;

/** Every request passes our page: nobody is let through for having allowed something before. */
function alwaysAsk(browserMark: BrowserMark): interactionPolicy.Prompt {
  return new interactionPolicy.Prompt(
    { name: 'consent', requestable: true },
    (ctx) => ({ browser: browserMark.put(ctx) }),
    new interactionPolicy.Check(
      'not_asked_yet',
      'the user is asked each time',
      'consent_required',
      ({ oidc }) => {
        refuseRemovedAddress(oidc);
        const granted = oidc.result?.consent?.grantId;
        return granted === undefined || oidc.entities.Grant?.jti !== granted;
      },
    ),
  );
}

/** The library looks at the address when an authorization begins, and that may have been an hour ago. */
function refuseRemovedAddress({ client, params }: KoaContextWithOIDC['oidc']): void {
  if (client?.redirectUriAllowed(String(params?.redirect_uri))) return;
  throw new errors.InvalidRedirectUri();
}

/** There is one scope: who asks for none means it, and others beside it are passed over. */
function settleScope({ oidc }: KoaContextWithOIDC, asked: string | undefined): void {
  if (asked !== undefined && !asked.split(' ').includes(audiencesScope)) {
    throw new errors.InvalidScope(`the only scope is ${audiencesScope}`, asked);
  }
  if (oidc.params) oidc.params.scope = audiencesScope;
}

/** Apps that run in a browser fetch and revoke tokens from there, each from its own addresses. */
function isOwnOrigin({ oidc }: KoaContextWithOIDC, origin: string, client: Client): boolean {
  return (
    client.tokenEndpointAuthMethod === 'none' &&
    (oidc.route === 'token' || oidc.route === 'revocation') &&
    (client.redirectUris ?? []).some((address) => new URL(address).origin === origin)
  );
}
