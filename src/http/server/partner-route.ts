import type { FastifySchema } from 'fastify';
import type { Auth } from './auth.ts';

/** Options of a route that only partners may call. */
export function partnerRoute<Schema extends FastifySchema>(
  auth: Auth,
  tag: string,
  schema: Schema,
) {
  return {
    onRequest: auth.partner,
    schema: { tags: [tag], security: [{ apiKey: [] }], ...schema },
  };
}
