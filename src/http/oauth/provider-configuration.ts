import {
  type Client,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { Logger } from 'pino';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import type { OauthKey } from '../../records/access/oauth-keys.ts';
import type { BrowserMark } from './browser-mark.ts';
import { audiencesScope } from './client-metadata.ts';
import { renderErrorPage } from './error-page.ts';
import type { NetworkLimits } from './network-limits.ts';
import { oauthPaths } from './paths.ts';
import { createStateAdapter } from './state-adapter.ts';
import type { TransactionalRecords } from './transactional-records.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export interface ProviderParts {
  readonly records: TransactionalRecords;
  readonly publicUrl: string;
  readonly browserMark: BrowserMark;
  readonly limits: NetworkLimits;
  readonly guesses: GuessLimit;
}

/** Configures the library for the authorization code flow with PKCE and nothing else. */
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
    extraParams: { scope: normaliseScope },
    interactions: {
      policy: [alwaysAsk(browserMark)],
      url: (_ctx, interaction) => `${publicUrl}/console/authorize/${interaction.uid}`,
    },
    async findAccount(_ctx, accountId) {
      if (!(await records.current().users.isActive(Number(accountId)))) return undefined;
      return { accountId, claims: () => ({ sub: accountId }) };
    },
    // A token stays valid until it expires, even if the user signs out.
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    // Revoking any token revokes the whole grant.
    revokeGrantPolicy: () => true,
    ttl: {
      Interaction: hour,
      // Until the code is redeemed. Each token that is issued extends it.
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
 * Cookies of the library that browsers never get. The library's session lasts for one request, and
 * the consent page takes the authorization from its address.
 */
export const unusedCookies = {
  session: 'tributary-unused-session',
  interaction: 'tributary-unused-interaction',
} as const;

/** Every authorization needs consent on our page, even if the user allowed the app before. */
function alwaysAsk(browserMark: BrowserMark): interactionPolicy.Prompt {
  return new interactionPolicy.Prompt(
    { name: 'consent', requestable: true },
    (ctx) => ({ browser: browserMark.put(ctx) }),
    new interactionPolicy.Check(
      'not_asked_yet',
      'the user must consent each time',
      'consent_required',
      ({ oidc }) => {
        refuseRemovedAddress(oidc);
        const granted = oidc.result?.consent?.grantId;
        return granted === undefined || oidc.entities.Grant?.jti !== granted;
      },
    ),
  );
}

/** The library checks the address only when an authorization begins, up to an hour earlier. */
function refuseRemovedAddress({ client, params }: KoaContextWithOIDC['oidc']): void {
  if (client?.redirectUriAllowed(String(params?.redirect_uri))) return;
  throw new errors.InvalidRedirectUri();
}

/** There is one scope: it is the default, and other scopes beside it are ignored. */
function normaliseScope({ oidc }: KoaContextWithOIDC, requested: string | undefined): void {
  if (requested !== undefined && !requested.split(' ').includes(audiencesScope)) {
    throw new errors.InvalidScope(`the only scope is ${audiencesScope}`, requested);
  }
  if (oidc.params) oidc.params.scope = audiencesScope;
}

/** Public apps get and revoke tokens from the browser, only from the origins of their addresses. */
function isOwnOrigin({ oidc }: KoaContextWithOIDC, origin: string, client: Client): boolean {
  return (
    client.tokenEndpointAuthMethod === 'none' &&
    (oidc.route === 'token' || oidc.route === 'revocation') &&
    (client.redirectUris ?? []).some((address) => new URL(address).origin === origin)
  );
}
