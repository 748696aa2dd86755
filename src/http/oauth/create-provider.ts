import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { TributaryError } from '../../domain/errors.ts';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import { hashClientSecret } from '../../records/access/oauth-apps.ts';
import type { OauthKey } from '../../records/access/oauth-keys.ts';
import { isSameHash } from '../../records/access/secret-token.ts';
import { pagePolicy } from '../reference/reference-routes.ts';
import { credentialName } from '../server/auth.ts';
import { networkOf } from '../server/client-address.ts';
import { type Page, showError } from './error-page.ts';
import { oauthMetadata } from './metadata.ts';
import { oauthPaths } from './paths.ts';
import {
  type ProviderParts,
  providerConfiguration,
  unusedCookies,
} from './provider-configuration.ts';
import { answerServerError, logErrors } from './provider-errors.ts';

/** Longer than any app needs, and short enough to store for an hour. */
const maximumStateLength = 2_000;

/** Configures the library, and adds middleware where it has no setting. */
export function createProvider(
  parts: ProviderParts,
  keys: readonly OauthKey[],
  log: Logger,
): Provider {
  const { publicUrl, records, limits, guesses } = parts;
  const provider = new Provider(publicUrl, providerConfiguration(parts, keys, log));
  // It takes the public address from forwarding headers, which we always overwrite.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = function compareHashes(presented) {
    const expected = Buffer.from(this.clientSecret ?? '', 'base64url');
    return isSameHash(hashClientSecret(presented), expected);
  };

  provider.use(async (ctx, next) => {
    ctx.set('content-security-policy', pagePolicy);
    ctx.set('referrer-policy', 'no-referrer');
    const seconds = limits.secondsToWait(ctx.path, ctx.ip);
    const error = ctx.path === oauthPaths.authorization ? errorIn(ctx.query) : undefined;
    if (seconds > 0) refuseForNow(ctx, seconds);
    else if (error) showError(ctx, error);
    else if (ctx.method === 'POST') await judge(ctx, guesses, next);
    else await next();
    dropUnusedCookies(ctx);
    // Other sites may read a response only if it is for an app that runs there.
    if (ctx.method === 'POST' && !ctx.oidc?.client) ctx.remove('access-control-allow-origin');
    if (ctx.oidc?.route === 'discovery') ctx.body = oauthMetadata(ctx.body, publicUrl);
  });

  // A token request uses up and issues tokens in one transaction, so a failed one can be retried.
  provider.use(async (ctx, next) => {
    if (ctx.path !== oauthPaths.token) return next();
    const answered = records.inTransaction(async () => {
      await next();
      if (ctx.status >= 500) throw rollBack;
    });
    await answered.catch((error) => {
      if (error !== rollBack) answerServerError(ctx, error, log);
    });
  });
  logErrors(provider, log);
  return provider;
}

/** Refusals of a wrong client secret, code or token. */
const wrongCredentials = ['invalid_client', 'invalid_grant', 'invalid_token'];

/** Answers a request of an app, unless too many credentials of its network were wrong. */
async function judge(
  ctx: Page & Pick<KoaContextWithOIDC, 'path' | 'ip' | 'get'>,
  guesses: GuessLimit,
  next: () => Promise<void>,
): Promise<void> {
  const network = networkOf(ctx.ip);
  // The body is not read yet, so apps without this header share one name per network.
  const guess = guesses.begin(
    network,
    credentialName(ctx.get('authorization') || `app ${network}`),
  );
  if (guess.waitSeconds !== null) {
    refuseForNow(ctx, guess.waitSeconds);
    return;
  }
  try {
    await next();
  } finally {
    const { error } = (ctx.body ?? {}) as { error?: string };
    if (wrongCredentials.includes(error ?? '')) guess.wrong();
    else if (ctx.status < 300) guess.right();
    else guess.drop();
  }
}

/** Rolls the transaction back after the library has answered with an error. */
const rollBack = new Error('token request rolled back');

/**
 * Checks two parameters before the library does. It would report an unsupported `response_mode` by
 * redirect, and store a `state` of any length.
 */
function errorIn(query: KoaContextWithOIDC['query']): Error | undefined {
  if ((query.response_mode ?? 'query') !== 'query') {
    return new errors.UnsupportedResponseMode('the only response_mode is query');
  }
  if (String(query.state ?? '').length > maximumStateLength) {
    return new errors.InvalidRequest(
      `state must not be longer than ${maximumStateLength} characters`,
    );
  }
  return undefined;
}

/** Rate limited: a page for browsers, JSON for apps. */
function refuseForNow(ctx: Page & Pick<KoaContextWithOIDC, 'path'>, seconds: number): void {
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

function dropUnusedCookies(ctx: { res: KoaContextWithOIDC['res'] }): void {
  const cookies = [ctx.res.getHeader('set-cookie') ?? []].flat().map(String);
  const unused = Object.values(unusedCookies);
  const kept = cookies.filter((cookie) => !unused.some((name) => cookie.startsWith(name)));
  if (kept.length === 0) ctx.res.removeHeader('set-cookie');
  else ctx.res.setHeader('set-cookie', kept);
}
