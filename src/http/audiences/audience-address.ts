import type { FastifySchema } from 'fastify';
import type { Auth } from '../server/auth.ts';

/** Audiences have two addresses, /v2 and /v1, which behave the same. */
export interface AudienceAddress {
  /** The prefix of the resource's paths. */
  readonly path: string;
  /** The OpenAPI description of an operation at this address. */
  describe(operation: DescribedOperation): DescribedOperation;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The operation that has this second address. The reference page shows both together. */
  readonly 'x-same-as'?: string;
}

const current: AudienceAddress = {
  path: '/v2/firstparty/audience',
  describe: (operation) => operation,
};

const earlier: AudienceAddress = {
  path: '/v1/firstparty/audience',
  describe: ({ operationId, summary }) => ({
    operationId: `${operationId}V1`,
    summary: `${summary} (v1)`,
    description: `The same as \`${operationId}\` at ${current.path}.`,
    'x-same-as': operationId,
  }),
};

export const audienceAddresses: readonly AudienceAddress[] = [current, earlier];

/** Options of a route for partners, with or without a user token, and for users of customers. */
export function audienceRoute<Schema extends FastifySchema & DescribedOperation>(
  auth: Auth,
  address: AudienceAddress,
  schema: Schema,
) {
  return {
    onRequest: auth.audience,
    schema: {
      tags: ['Audience ingest'],
      // With a user token the request concerns one customer's audiences, without it all of them.
      security: [{ apiKey: [] }, { apiKey: [], userToken: [] }],
      ...schema,
      ...address.describe(schema),
    },
  };
}
