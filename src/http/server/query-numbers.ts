import type { FastifyRequest } from 'fastify';

/**
 * Reads those parameters of the query as numbers that are written as whole ones, before the query
 * is judged. All in a query is text, which the schemas, made for bodies, would refuse.
 */
export function parseQueryNumbers(...names: readonly string[]) {
  return async (request: FastifyRequest): Promise<void> => {
    const parameters = Object.entries(request.query as Record<string, unknown>);
    request.query = Object.fromEntries(
      parameters.map(([name, value]) => [
        name,
        names.includes(name) && isWhole(value) ? Number(value) : value,
      ]),
    );
  };
}

function isWhole(value: unknown): boolean {
  return typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value);
}
