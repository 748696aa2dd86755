import type { FastifySchema } from 'fastify';
import type { Auth } from '../server/auth.ts';

/** Options of a route for anyone signed in to the console. */
export function sessionRoute<Schema extends FastifySchema>(auth: Auth, schema: Schema) {
  return {
    onRequest: auth.session,
    schema: { tags: ['Console'], security: [{ session: [] }], ...schema },
  };
}
