import type { FastifySchema } from 'fastify';
import type { Auth } from '../server/auth.ts';

/** Options of a route that only operators may call. */
export function operatorRoute<Schema extends FastifySchema>(auth: Auth, schema: Schema) {
  return {
    onRequest: auth.operator,
    schema: { tags: ['Operator'], security: [{ adminToken: [] }], ...schema },
  };
}
