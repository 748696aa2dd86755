import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { TributaryError } from '../../domain/errors.ts';
import { hashClientSecret } from '../../records/access/oauth-apps.ts';
import type { OauthKey } from '../../records/access/oauth-keys.ts';
import { isSameHash } from '../../records/access/secret-token.ts';
import { pagePolicy } from '../reference/reference-routes.ts';
import { type Page, showError } from './error-page.ts';
import { answerFault, tellOfFaults } from './faults.ts';
import { ourMetadata } from './metadata.ts';
import { oauthPaths } from './paths.ts';
import {
  type ProviderParts,
  providerConfiguration,
  unusedCookies,
} from './provider-configuration.ts';

/** Longer than any app needs, and short enough to be kept for an hour. */
const longestState = 2_000;

/** The library, set up. What it has no setting for is around it here. */
export function createProvider(
  parts: ProviderParts,
  keys: readonly OauthKey[],
  log: Logger,
): Provider {
  const { publicUrl, records, limits } = parts;
  const provider = new Provider(publicUrl, providerConfiguration(parts, keys, log));
  // Which address clients reach is told to it by headers, which are ours whatever came.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = function compareHashes(presented) {
    const expected = Buffer.from(this.clientSecret ?? '', 'base64url');
    return isSameHash(hashClientSecret(presented), expected);
  };

  provider.use(async (ctx, next) => {
    ctx.set('content-security-policy', pagePolicy);
    ctx.set('referrer-policy', 'no-referrer');
    const seconds = limits.secondsToWait(ctx.path, ctx.ip);
    const fault = ctx.path === oauthPaths.authorization ? faultOf(ctx.query) : undefined;
    if (seconds > 0) putOff(ctx, seconds);
    else if (fault) showError(ctx, fault);
    else await next();
    leaveOutCookies(ctx);
    // An answer is for other sites to read only if it is for an app that lives there.
    if (ctx.method === 'POST' && !ctx.oidc?.client) ctx.remove('access-control-allow-origin');
    if (ctx.oidc?.route === 'discovery') ctx.body = ourMetadata(ctx.body, publicUrl);
  });

  // What a request for tokens uses up and what it brings is kept together, or else it can be made again.
  provider.use(async (ctx, next) => {
    if (ctx.path !== oauthPaths.token) return next();
    const answered = records.together(async () => {
      await next();
      if (ctx.status >= 500) throw answeredAlready;
    });
    await answered.catch((error) => {
      if (error !== answeredAlready) answerFault(ctx, error, log);
    });
  });
  tellOfFaults(provider, log);
  return provider;
}

const answeredAlready = new Error('what was saved is undone, and the answer says so');

/** What the library would answer by redirect, if only with a refusal, or would keep. */
function faultOf(query: KoaContextWithOIDC['query']): Error | undefined {
  if ((query.response_mode ?? 'query') !== 'query') {
    return new errors.UnsupportedResponseMode('the only response_mode is query');
  }
  if (String(query.state ?? '').length > longestState) {
    return new errors.InvalidRequest(`state must not be longer than ${longestState} characters`);
  }
  return undefined;
}

/** People are shown a page, programs what they can read. */
function putOff(ctx: Page & Pick<KoaContextWithOIDC, 'path'>, seconds: number): void {
  const tooMany = new TributaryError('rate_limited', `Try again in ${seconds} s.`);
  ctx.set('retry-after', String(seconds));
  if (ctx.path.startsWith(oauthPaths.authorization)) {
    showError(ctx, tooMany);
    return;
  }
  ctx.status = 429;
  ctx.set('cache-control', 'no-store');
  ctx.body = { error: tooMany.code, error_description: tooMany.message };
}

function leaveOutCookies(ctx: { res: KoaContextWithOIDC['res'] }): void {
  const cookies = [ctx.res.getHeader('set-cookie') ?? []].flat().map(String);
  const unused = Object.values(unusedCookies);
  const kept = cookies.filter((cookie) => !unused.some((name) => cookie.startsWith(name)));
  if (kept.length === 0) ctx.res.removeHeader('set-cookie');
  else ctx.res.setHeader('set-cookie', kept);
}
