import type { FastifyRequest } from 'fastify';

/**
 * A hook that converts the named query parameters to numbers before validation, if they are whole
 * numbers. Query parameters are always strings, which the schemas would reject.
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
