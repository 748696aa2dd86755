import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { codeOf } from '../../domain/errors.ts';

type Answer = Pick<KoaContextWithOIDC, 'status' | 'body' | 'set' | 'res'>;

const refusalEvents = [
  'authorization.error',
  'grant.error',
  'revocation.error',
  'introspection.error',
] as const;

/** Logs our own errors, and the reasons for refusals, which the responses leave out. */
export function logErrors(provider: Provider, log: Logger): void {
  for (const event of refusalEvents) {
    provider.on(event as 'grant.error', (ctx, error) => {
      const reason = error.error_detail ?? error.error_description;
      const line = { request_id: requestId(ctx), client_id: ctx.oidc.client?.clientId };
      log.info({ ...line, error: error.error, reason }, 'app refused');
    });
  }
  provider.on('server_error', (ctx, error) => answerServerError(ctx, error, log));
  // Errors that the library does not catch. A client that disconnects is not one.
  provider.onerror = (error) => {
    if (codeOf(error) !== 'ECONNRESET') log.error({ err: error }, 'request failed');
  };
}

/** An unavailable database is a warning, because it passes. Anything else is unexpected. */
export function answerServerError(ctx: Answer, error: unknown, log: Logger): void {
  const isUnavailable = codeOf(error) === 'unavailable';
  const line = { request_id: requestId(ctx), err: error };
  if (isUnavailable) log.warn(line, 'database unavailable');
  else log.error(line, 'request failed');
  ctx.status = isUnavailable ? 503 : 500;
  if (isUnavailable) ctx.set('retry-after', '2');
  if (typeof ctx.body === 'string') return;
  ctx.body = isUnavailable
    ? { error: 'temporarily_unavailable', error_description: 'try again shortly' }
    : { error: 'server_error', error_description: 'internal error' };
}

function requestId(ctx: Pick<KoaContextWithOIDC, 'res'>): string {
  return String(ctx.res.getHeader('x-request-id'));
}
