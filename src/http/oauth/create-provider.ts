import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { hashClientSecret } from '../../records/oauth-apps.ts';
import type { OauthKey } from '../../records/oauth-keys.ts';
import { isSameHash } from '../../records/secret-token.ts';
import { pagePolicy } from '../docs.ts';
import { audiencesScope } from './client-metadata.ts';
import { type Page, showError } from './error-page.ts';
import { oauthPaths } from './paths.ts';
import {
  type ProviderParts,
  providerConfiguration,
  unusedCookies,
} from './provider-configuration.ts';

/** The library, set up. What it has no setting for is around it here. */
export function createProvider(
  parts: ProviderParts,
  keys: readonly OauthKey[],
  log: Logger,
): Provider {
  const provider = new Provider(parts.publicUrl, providerConfiguration(parts, keys));
  // Which address clients reach is told to it by headers, which are ours whatever came.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = function compareHashes(presented) {
    const expected = Buffer.from(this.clientSecret ?? '', 'base64url');
    return isSameHash(hashClientSecret(presented), expected);
  };
  provider.use(async (ctx, next) => {
    ctx.set('content-security-policy', pagePolicy);
    ctx.set('referrer-policy', 'no-referrer');
    const seconds = parts.limits.secondsToWait(ctx.path, ctx.ip);
    // The library would answer in that mode, if only with a refusal.
    const { response_mode: mode = 'query' } = ctx.query;
    if (seconds > 0) putOff(ctx, seconds);
    else if (mode === 'query') await next();
    else showError(ctx, new errors.UnsupportedResponseMode('the only response_mode is query'));
    leaveOutCookies(ctx);
    // An answer is for other sites to read only if it is for an app that lives there.
    if (ctx.method === 'POST' && !ctx.oidc?.client) ctx.remove('access-control-allow-origin');
    if (ctx.oidc?.route === 'discovery') ctx.body = ourMetadata(ctx.body, parts.publicUrl);
  });
  tellOfErrors(provider, log);
  return provider;
}

/** People are shown a page, programs what they can read. */
function putOff(ctx: Page & Pick<KoaContextWithOIDC, 'path' | 'set'>, seconds: number): void {
  const tooMany = new TributaryError('rate_limited', `Try again in ${seconds} s.`);
  ctx.set('retry-after', String(seconds));
  if (ctx.path.startsWith(oauthPaths.authorization)) {
    showError(ctx, tooMany);
    return;
  }
  ctx.status = 429;
  ctx.body = { error: tooMany.code, error_description: tooMany.message };
}

function leaveOutCookies(ctx: { res: KoaContextWithOIDC['res'] }): void {
  const cookies = [ctx.res.getHeader('set-cookie') ?? []].flat().map(String);
  const unused = Object.values(unusedCookies);
  const kept = cookies.filter((cookie) => !unused.some((name) => cookie.startsWith(name)));
  if (kept.length === 0) ctx.res.removeHeader('set-cookie');
  else ctx.res.setHeader('set-cookie', kept);
}

const metadataMembers = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'jwks_uri',
  'response_types_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
];

/** Of what the library says of itself, what belongs to OAuth and not to OpenID Connect. */
function ourMetadata(said: unknown, publicUrl: string): object {
  const all = said as Record<string, unknown>;
  const methods = all.token_endpoint_auth_methods_supported;
  return {
    ...Object.fromEntries(metadataMembers.map((name) => [name, all[name]])),
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
    response_modes_supported: ['query'],
    scopes_supported: [audiencesScope],
    service_documentation: `${publicUrl}/docs`,
  };
}

const refusals = [
  'authorization.error',
  'grant.error',
  'revocation.error',
  'introspection.error',
] as const;

/** Faults of ours, and why an app was refused: the answer itself does not say that. */
function tellOfErrors(provider: Provider, log: Logger): void {
  for (const event of refusals) {
    provider.on(event as 'grant.error', (ctx, error) => {
      const reason = error.error_detail ?? error.error_description;
      const line = { request_id: requestId(ctx), client_id: ctx.oidc.client?.clientId };
      log.info({ ...line, error: error.error, reason }, 'refused an app');
    });
  }
  provider.on('server_error', (ctx, error) => {
    const line = { request_id: requestId(ctx), err: error };
    if (codeOf(error) !== 'unavailable') {
      log.error(line, 'request failed');
      return;
    }
    log.warn(line, 'database away');
    ctx.status = 503;
    ctx.set('retry-after', '2');
    if (typeof ctx.body === 'object') {
      ctx.body = { error: 'temporarily_unavailable', error_description: 'try again shortly' };
    }
  });
  // What the library itself has not caught. A client that went away is no fault.
  provider.onerror = (error) => {
    if (codeOf(error) !== 'ECONNRESET') log.error({ err: error }, 'request failed');
  };
}

function requestId(ctx: KoaContextWithOIDC): string {
  return String(ctx.res.getHeader('x-request-id'));
}
