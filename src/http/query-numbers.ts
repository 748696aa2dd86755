import type { FastifyRequest } from 'fastify';

/**
 * Reads what is written as a whole number in the query as one, before the query is judged. All in
 * a query is text, which the schemas, made for bodies, would refuse.
 */
export async function readNumbers(request: FastifyRequest): Promise<void> {
  const parameters = Object.entries(request.query as Record<string, unknown>);
  request.query = Object.fromEntries(
    parameters.map(([name, value]) => [name, isWhole(value) ? Number(value) : value]),
  );
}

function isWhole(value: unknown): boolean {
  return typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value);
}
