import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { codeOf } from '../../domain/errors.ts';

type Answering = Pick<KoaContextWithOIDC, 'status' | 'body' | 'set' | 'res'>;

const refusals = [
  'authorization.error',
  'grant.error',
  'revocation.error',
  'introspection.error',
] as const;

/** Logs faults of ours, and why an app was refused: the answer itself does not say that. */
export function tellOfFaults(provider: Provider, log: Logger): void {
  for (const event of refusals) {
    provider.on(event as 'grant.error', (ctx, error) => {
      const reason = error.error_detail ?? error.error_description;
      const line = { request_id: requestId(ctx), client_id: ctx.oidc.client?.clientId };
      log.info({ ...line, error: error.error, reason }, 'refused an app');
    });
  }
  provider.on('server_error', (ctx, error) => answerFault(ctx, error, log));
  // What the library itself has not caught. A client that went away is no fault.
  provider.onerror = (error) => {
    if (codeOf(error) !== 'ECONNRESET') log.error({ err: error }, 'request failed');
  };
}

/** A database that is away will be back; whatever else it is should not have happened. */
export function answerFault(ctx: Answering, error: unknown, log: Logger): void {
  const isAway = codeOf(error) === 'unavailable';
  const line = { request_id: requestId(ctx), err: error };
  if (isAway) log.warn(line, 'database away');
  else log.error(line, 'request failed');
  ctx.status = isAway ? 503 : 500;
  if (isAway) ctx.set('retry-after', '2');
  if (typeof ctx.body === 'string') return;
  ctx.body = isAway
    ? { error: 'temporarily_unavailable', error_description: 'try again shortly' }
    : { error: 'server_error', error_description: 'the fault is on our side' };
}

function requestId(ctx: Pick<KoaContextWithOIDC, 'res'>): string {
  return String(ctx.res.getHeader('x-request-id'));
}
